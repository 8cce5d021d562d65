/** Ways to run it again: a retry, a fork at an iteration with something changed, and a replay of what was recorded. */

import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import type { RunDetail } from '../../../../client/browser.ts'
import { useConnection } from '../../../app/connection.ts'
import { Command } from '../../../parts/command.tsx'
import { type ControlDialogProps, DecisionForm, field, useBy } from './control-dialogs.tsx'

const ways = ['fork', 'retry', 'replay'] as const
type Way = (typeof ways)[number]

const names: Readonly<Record<Way, readonly [title: string, what: string]>> = {
  fork: ['Fork', 'A new run that continues after one of its iterations, with what you change.'],
  retry: ['Retry', 'A new run of the same loop with the same input, from the beginning.'],
  replay: ['Replay', 'Repeats what was recorded, offline and free, and reports any difference.'],
}

/** What can be done with a run now. */
function waysOf({ run, state, checkpoints }: RunDetail): readonly Way[] {
  const hasEnded = state.outcome !== undefined
  return ways.filter((way) =>
    way === 'fork'
      ? checkpoints.length > 0
      : way === 'retry'
        ? hasEnded && run.status !== 'completed'
        : hasEnded || run.status === 'paused',
  )
}

export const canRunAgain = (detail: RunDetail): boolean => waysOf(detail).length > 0

export function AgainDialog({ detail, onClose }: ControlDialogProps): ReactElement {
  const { client } = useConnection()
  const by = useBy()
  const [, go] = useLocation()
  const offered = waysOf(detail)
  const { run, checkpoints } = detail
  // After the last one of a completed run there is nothing left to do.
  const last = checkpoints.at(run.status === 'completed' ? -2 : -1) ?? checkpoints.at(-1)
  const [way, setWay] = useState<Way>(offered[0] ?? 'replay')
  const [iteration, setIteration] = useState(last?.iteration ?? 1)
  const [iterations, setIterations] = useState('')
  const [model, setModel] = useState('')
  const [prompt, setPrompt] = useState('')
  const work = async (): Promise<void> => {
    const changes = { ...(model === '' ? {} : { model }), ...(prompt === '' ? {} : { prompt }) }
    const made =
      way === 'retry'
        ? await client.retry(run.id, { by })
        : await client.fork(run.id, {
            iteration,
            by,
            ...(iterations === '' ? {} : { limits: { iterations: Number(iterations) } }),
            ...(Object.keys(changes).length === 0 ? {} : { changes }),
          })
    go(`/runs/${made.run.name}`)
  }
  return (
    <DecisionForm
      detail={detail}
      onClose={onClose}
      title={`Run ${run.name} again`}
      action={names[way][0]}
      {...(way === 'replay' ? { isHint: true } : {})}
      work={work}
    >
      <fieldset className="grid gap-1.5">
        <legend className="sr-only">How</legend>
        {offered.map((one) => (
          <label key={one} className="flex items-baseline gap-2">
            <input type="radio" name="way" checked={way === one} onChange={() => setWay(one)} />
            <span>
              <strong className="font-medium">{names[one][0]}</strong>{' '}
              <span className="text-muted">{names[one][1]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {way === 'replay' ? (
        <p className="grid justify-items-start gap-1">
          A replay runs in a terminal, where the loop file is:
          <Command text={`loopctl replay ${run.name}`} />
        </p>
      ) : null}
      {way === 'fork' ? (
        <>
          <label className="grid gap-1">
            Continue after
            <select
              value={iteration}
              onChange={({ target }) => setIteration(Number(target.value))}
              className={field}
            >
              {checkpoints.toReversed().map((one) => (
                <option key={one.iteration} value={one.iteration}>
                  iteration {one.iteration}
                </option>
              ))}
            </select>
          </label>
          <div className="grid gap-3 sm:grid-cols-2">
            <label className="grid gap-1">
              Limit of iterations
              <input
                type="number"
                min={1}
                value={iterations}
                placeholder={String(detail.state.limits.iterations)}
                onChange={({ target }) => setIterations(target.value)}
                className={field}
              />
            </label>
            <label className="grid gap-1">
              Model
              <input
                value={model}
                maxLength={256}
                placeholder="as before"
                onChange={({ target }) => setModel(target.value)}
                className={`${field} font-mono`}
              />
            </label>
          </div>
          <label className="grid gap-1">
            Prompt instead of the one in its loop file
            <textarea
              rows={4}
              value={prompt}
              maxLength={100_000}
              placeholder="as before"
              onChange={({ target }) => setPrompt(target.value)}
              className={field}
            />
          </label>
        </>
      ) : null}
    </DecisionForm>
  )
}
