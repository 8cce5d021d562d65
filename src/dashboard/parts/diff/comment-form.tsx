/** A comment on a line: it is sent to the agent of the run. */

import { type ReactElement, useState } from 'react'
import { Button } from '../button.tsx'
import { Problem } from '../problem.tsx'

export interface CommentFormProps {
  readonly label: string
  onSend(text: string): Promise<void>
  onClose(): void
}

export function CommentForm({ label, onSend, onClose }: CommentFormProps): ReactElement {
  const [text, setText] = useState('')
  const [state, setState] = useState<'open' | 'sending' | 'sent'>('open')
  const [error, setError] = useState<unknown>()
  const send = async (): Promise<void> => {
    setState('sending')
    try {
      await onSend(text)
      setState('sent')
    } catch (failure) {
      setError(failure)
      setState('open')
    }
  }
  if (state === 'sent') {
    return (
      <p role="status" className="bg-good-soft p-2 font-sans text-good">
        Sent to the agent: {text}{' '}
        <button type="button" onClick={onClose} className="underline">
          Close
        </button>
      </p>
    )
  }
  return (
    <form
      className="grid gap-2 border-y border-line bg-bg p-3 font-sans"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <label className="grid gap-1">
        <span className="text-xs text-muted">To the agent, about {label}</span>
        <textarea
          autoFocus
          required
          maxLength={10_000}
          rows={3}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose()
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send()
          }}
          className="rounded-md border border-line bg-panel p-2"
        />
      </label>
      {error === undefined ? null : <Problem error={error} />}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" disabled={state === 'sending' || text.trim() === ''}>
          Send
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  )
}
