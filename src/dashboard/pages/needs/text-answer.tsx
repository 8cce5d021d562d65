/** The text of an answer: what to tell the agent, or the edited value as JSON. */

import { type ReactElement, useState } from 'react'
import type { Json } from '../../../client/browser.ts'
import { Button } from '../../parts/button.tsx'

export interface GivenAnswer {
  readonly kind?: 'accept' | 'edit' | 'respond' | 'reject'
  readonly answer?: string
  readonly value?: Json
  readonly code?: string
}

export interface TextAnswerProps {
  readonly kind: 'edit' | 'respond' | 'text'
  /** What is proposed, to edit. */
  readonly proposed?: unknown
  readonly isSending: boolean
  onSend(given: GivenAnswer): void
  onClose(): void
}

const labels = {
  edit: 'The value to use instead, with the same structure',
  respond: 'What the agent should know',
  text: 'Your answer',
} as const

export function TextAnswer({
  kind,
  proposed,
  isSending,
  onSend,
  onClose,
}: TextAnswerProps): ReactElement {
  const isText = typeof proposed === 'string'
  const initial = kind !== 'edit' ? '' : isText ? proposed : JSON.stringify(proposed, undefined, 2)
  const [text, setText] = useState(initial)
  const [problem, setProblem] = useState<string>()
  const send = (): void => {
    if (kind === 'text') return onSend({ answer: text })
    if (kind === 'respond') return onSend({ kind, answer: text })
    try {
      onSend({ kind, value: isText ? text : (JSON.parse(text) as Json) })
    } catch {
      setProblem('This is not JSON.')
    }
  }
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="grid gap-1">
        <span className="text-muted">{labels[kind]}</span>
        <textarea
          autoFocus
          required
          rows={kind === 'edit' ? 10 : 3}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose()
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
          }}
          className={`rounded-md border border-line bg-bg p-2 ${kind === 'edit' ? 'font-mono text-[13px]' : ''}`}
        />
      </label>
      {problem === undefined ? null : (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      <div className="flex items-center gap-2">
        <Button kind="primary" type="submit" disabled={isSending || text.trim() === ''}>
          Send
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        <span className="text-xs text-muted max-md:hidden">Ctrl Enter sends</span>
      </div>
    </form>
  )
}
