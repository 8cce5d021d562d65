/** Decisions that need more than a click: what to tell the agent, new limits, how to end, where to merge. */

import { type ReactElement, type ReactNode, useState } from 'react'
import type { RunDetail } from '../../../../client/browser.ts'
import { useConnection } from '../../../app/connection.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Problem } from '../../../parts/problem.tsx'
import { useDecision } from './use-decision.ts'

export interface ControlDialogProps {
  readonly detail: RunDetail
  readonly onClose: () => void
}

export interface DecisionFormProps extends ControlDialogProps {
  readonly title: string
  readonly action: string
  readonly isDangerous?: boolean
  /** It only says what to type: there is nothing to send. */
  readonly isHint?: boolean
  work(): Promise<unknown>
  readonly children: ReactNode
}

export function DecisionForm(props: DecisionFormProps): ReactElement {
  const {
    detail,
    onClose,
    title,
    action,
    isDangerous = false,
    isHint = false,
    work,
    children,
  } = props
  const decision = useDecision(detail.run.name, onClose)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          decision.mutate(work)
        }}
      >
        {children}
        {decision.error === null ? null : <Problem error={decision.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          {isHint ? null : (
            <Button
              kind={isDangerous ? 'danger' : 'primary'}
              type="submit"
              disabled={decision.isPending}
            >
              {action}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

export const field = 'rounded-md border border-line bg-bg px-2 py-1.5'

export function useBy(): string {
  return useConnection().session.name ?? 'dashboard'
}

interface ReasonFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

const ReasonField = ({ value, onChange }: ReasonFieldProps): ReactElement => (
  <label className="grid gap-1">
    Why (recorded)
    <input
      value={value}
      maxLength={10_000}
      onChange={({ target }) => onChange(target.value)}
      className={field}
    />
  </label>
)

export function TellDialog({ detail, onClose }: ControlDialogProps): ReactElement {
  const { client } = useConnection()
  const by = useBy()
  const [text, setText] = useState('')
  return (
    <DecisionForm
      detail={detail}
      onClose={onClose}
      title="Tell the agent"
      action="Send"
      work={() => client.sendDecision(detail.run.id, { type: 'tell', text }, by)}
    >
      <label className="grid gap-1">
        It reaches the agent before its next model call, or with the next iteration.
        <textarea
          autoFocus
          required
          maxLength={10_000}
          rows={5}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className={field}
        />
      </label>
    </DecisionForm>
  )
}

const microsPerDollar = 1_000_000
const msPerMinute = 60_000

export function LimitsDialog({ detail, onClose }: ControlDialogProps): ReactElement {
  const { client } = useConnection()
  const by = useBy()
  const { limits } = detail.state
  const [iterations, setIterations] = useState(String(limits.iterations))
  const [dollars, setDollars] = useState(String(limits.costMicros / microsPerDollar))
  const [tokens, setTokens] = useState(String(limits.tokens))
  const [minutes, setMinutes] = useState(String(Math.round(limits.timeMs / msPerMinute)))
  const [reason, setReason] = useState('')
  const fields = [
    ['Iterations', iterations, setIterations, '1'],
    ['Cost, in dollars', dollars, setDollars, '0.01'],
    ['Tokens', tokens, setTokens, '1'],
    ['Active time, in minutes', minutes, setMinutes, '1'],
  ] as const
  return (
    <DecisionForm
      detail={detail}
      onClose={onClose}
      title="Limits"
      action="Change"
      work={() =>
        client.sendDecision(
          detail.run.id,
          {
            type: 'change-limits',
            limits: {
              iterations: Number(iterations),
              costMicros: Math.round(Number(dollars) * microsPerDollar),
              tokens: Number(tokens),
              timeMs: Math.round(Number(minutes) * msPerMinute),
            },
            ...(reason === '' ? {} : { reason }),
          },
          by,
        )
      }
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {fields.map(([name, value, change, step]) => (
          <label key={name} className="grid gap-1">
            {name}
            <input
              type="number"
              required
              min={step}
              step={step}
              value={value}
              onChange={({ target }) => change(target.value)}
              className={field}
            />
          </label>
        ))}
      </div>
      <ReasonField value={reason} onChange={setReason} />
    </DecisionForm>
  )
}

export function CancelDialog({ detail, onClose }: ControlDialogProps): ReactElement {
  const { client } = useConnection()
  const by = useBy()
  const [type, setType] = useState<'stop' | 'cancel'>('stop')
  const [reason, setReason] = useState('')
  const ways = [
    ['stop', 'After the current iteration'],
    ['cancel', 'Now: the step in progress is interrupted'],
  ] as const
  return (
    <DecisionForm
      detail={detail}
      onClose={onClose}
      title={`End ${detail.run.name}`}
      action="End the run"
      isDangerous
      work={() =>
        client.sendDecision(detail.run.id, { type, reason: reason === '' ? type : reason }, by)
      }
    >
      <fieldset className="grid gap-1">
        <legend className="sr-only">When</legend>
        {ways.map(([value, text]) => (
          <label key={value} className="flex items-center gap-2">
            <input
              type="radio"
              name="way"
              checked={type === value}
              onChange={() => setType(value)}
            />
            {text}
          </label>
        ))}
      </fieldset>
      <p className="text-muted">Its work so far stays; the run can be forked or retried.</p>
      <ReasonField value={reason} onChange={setReason} />
    </DecisionForm>
  )
}

export function MergeDialog({ detail, onClose }: ControlDialogProps): ReactElement {
  const { client } = useConnection()
  const by = useBy()
  const [into, setInto] = useState('')
  const [strategy, setStrategy] = useState<'squash' | 'merge'>('squash')
  return (
    <DecisionForm
      detail={detail}
      onClose={onClose}
      title="Merge its work"
      action="Merge"
      work={() => client.merge(detail.run.id, { strategy, by, ...(into === '' ? {} : { into }) })}
    >
      <label className="grid gap-1">
        Branch
        <input
          value={into}
          placeholder={`agent/${detail.run.loop}`}
          maxLength={256}
          onChange={({ target }) => setInto(target.value)}
          className={`${field} font-mono`}
        />
      </label>
      <label className="grid gap-1">
        Commits
        <select
          value={strategy}
          onChange={({ target }) => setStrategy(target.value === 'merge' ? 'merge' : 'squash')}
          className={field}
        >
          <option value="squash">One commit</option>
          <option value="merge">All of them</option>
        </select>
      </label>
      <p className="text-muted">No checkout is touched. A conflict changes nothing.</p>
    </DecisionForm>
  )
}
