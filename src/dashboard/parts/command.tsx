/** A command to type, with a button that copies it. */

import { Check, Copy } from 'lucide-react'
import { type ReactElement, useState } from 'react'

const shownMs = 1500

export function Command({ text }: { readonly text: string }): ReactElement {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
      setTimeout(() => setIsCopied(false), shownMs)
    } catch {
      // The browser does not allow it; the text can be selected.
    }
  }
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded border border-line bg-sunken py-0.5 pr-0.5 pl-2 font-mono text-[13px]">
      <code className="min-w-0 break-all">{text}</code>
      <button
        type="button"
        onClick={() => void copy()}
        aria-label={isCopied ? 'Copied' : `Copy: ${text}`}
        className="grid size-6 shrink-0 place-items-center rounded text-muted hover:bg-panel hover:text-text"
      >
        {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </button>
    </span>
  )
}
