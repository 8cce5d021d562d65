/** The ways to answer a question, as buttons. */

import { Check, MessageSquare, Pencil, X } from 'lucide-react'
import type { ReactElement } from 'react'
import type { InboxQuestion } from '../../../client/browser.ts'
import { Button } from '../../parts/button.tsx'
import type { GivenAnswer } from './text-answer.tsx'

export interface AnswerButtonsProps {
  readonly question: InboxQuestion['question']
  readonly isBusy: boolean
  readonly canAccept: boolean
  onSend(given: GivenAnswer): void
  /** The answer needs a text. */
  onWrite(kind: 'edit' | 'respond' | 'text'): void
}

export function AnswerButtons(props: AnswerButtonsProps): ReactElement {
  const { question, isBusy, canAccept, onSend, onWrite } = props
  const { kinds = {}, options } = question
  const used = new Set([kinds.accept, kinds.reject, kinds.respond, kinds.edit?.option])
  const others = (options ?? []).filter((option) => !used.has(option))
  return (
    <div className="flex flex-wrap gap-2">
      {kinds.accept === undefined ? null : (
        <Button
          kind="primary"
          disabled={isBusy || !canAccept}
          onClick={() => onSend({ kind: 'accept' })}
        >
          <Check size={15} aria-hidden /> {label('Accept', kinds.accept)} <Key name="a" />
        </Button>
      )}
      {kinds.edit === undefined ? null : (
        <Button disabled={isBusy} onClick={() => onWrite('edit')}>
          <Pencil size={15} aria-hidden /> Edit <Key name="e" />
        </Button>
      )}
      {kinds.respond === undefined ? null : (
        <Button disabled={isBusy} onClick={() => onWrite('respond')}>
          <MessageSquare size={15} aria-hidden /> {label('Respond', kinds.respond)} <Key name="r" />
        </Button>
      )}
      {kinds.reject === undefined ? null : (
        <Button kind="danger" disabled={isBusy} onClick={() => onSend({ kind: 'reject' })}>
          <X size={15} aria-hidden /> {label('Reject', kinds.reject)} <Key name="x" />
        </Button>
      )}
      {others.map((option) => (
        <Button key={option} disabled={isBusy} onClick={() => onSend({ answer: option })}>
          {option}
        </Button>
      ))}
      {options === undefined && Object.keys(kinds).length === 0 ? (
        <Button kind="primary" onClick={() => onWrite('text')}>
          <MessageSquare size={15} aria-hidden /> Answer
        </Button>
      ) : null}
    </div>
  )
}

/** `Accept: approve`; only the option itself if it says the same. */
const label = (kind: string, option: string): string =>
  option.toLowerCase() === kind.toLowerCase() ? kind : `${kind}: ${option}`

const Key = ({ name }: { readonly name: string }): ReactElement => (
  <kbd className="rounded border border-current px-1 font-mono text-[11px] opacity-70 max-md:hidden">
    {name}
  </kbd>
)
