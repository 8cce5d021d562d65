/** A modal dialog: the browser keeps the focus in it, and Escape closes it. */

import { X } from 'lucide-react'
import { type ReactElement, type ReactNode, useEffect, useId, useRef } from 'react'

export interface DialogProps {
  readonly title: string
  /** For texts to read. */
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Dialog({ title, isWide = false, onClose, children }: DialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    if (dialog.current?.open !== false) return
    dialog.current.showModal()
    // The browser would focus the button that closes it: typing would do nothing, and Enter would close it.
    dialog.current.querySelector<HTMLElement>('input, textarea, select')?.focus()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      className={`${isWide ? 'w-[min(64rem,calc(100vw-2rem))]' : 'w-[min(34rem,calc(100vw-2rem))]'} rounded-xl border border-line bg-panel p-0 shadow-xl backdrop:bg-black/40`}
    >
      <div className="flex items-center justify-between border-b border-line px-4 py-2.5">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <button
          type="button"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
          className="grid size-7 place-items-center rounded text-muted hover:bg-sunken"
        >
          <X size={16} aria-hidden />
        </button>
      </div>
      <div className="p-4">{children}</div>
    </dialog>
  )
}
