/** Every step over time: left what ran when, right what it did, with its model calls and tool calls. */

import { type ReactElement, useMemo, useState } from 'react'
import type { Step } from '../../../../client/browser.ts'
import { useWholeRunPart } from '../../../app/queries.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { Empty } from '../../../parts/empty.tsx'
import { money, span } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'
import { useNow } from '../../../parts/time.tsx'
import { StepPane } from './step-pane.tsx'
import type { TabProps } from './tab-props.ts'

const shownMax = 2000

export function TraceTab({ detail }: TabProps): ReactElement {
  const { run } = detail
  const { data, error } = useWholeRunPart<Step>(run.id, 'steps')
  const [chosen, setChosen] = useState<number | undefined>()
  const now = useNow()
  const steps = useMemo(() => (data ?? []).slice(-shownMax), [data])
  const current =
    steps.find(({ seq }) => seq === chosen) ?? steps.findLast(({ kind }) => kind === 'agent')
  const move = (by: number): void => {
    const at = current === undefined ? 0 : steps.indexOf(current)
    const next = steps[Math.min(Math.max(at + by, 0), steps.length - 1)]
    if (next !== undefined) setChosen(next.seq)
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) })
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  const [first] = steps
  if (first === undefined)
    return <Empty title="No step has started." command={`loopctl tail ${run.name}`} />
  const ranges = rangesOf(steps, now)
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
      <ol className="overflow-hidden rounded-xl border border-line bg-panel" aria-label="Steps">
        {steps.map((step, at) => (
          <li key={step.seq}>
            {step.iteration === steps[at - 1]?.iteration ? null : (
              <p className="border-b border-line bg-sunken px-3 py-1 text-xs font-medium text-muted">
                Iteration {step.iteration}
              </p>
            )}
            <StepRow
              step={step}
              isCurrent={step === current}
              {...placeIn(ranges.get(step.iteration), step, now)}
              onOpen={() => setChosen(step.seq)}
            />
          </li>
        ))}
      </ol>
      {current === undefined ? null : (
        <div className="lg:sticky lg:top-14">
          <StepPane run={run} step={current} />
        </div>
      )}
    </div>
  )
}

interface Range {
  readonly startMs: number
  readonly endMs: number
}

const isWait = ({ kind }: Step): boolean => kind === 'ask' || kind === 'sleep'

/** An attempt that was interrupted has no separate end. */
const endOf = ({ endedAtMs, startedAtMs, state }: Step, now: number): number =>
  endedAtMs ?? (state === 'interrupted' ? startedAtMs : now)

/** Each iteration has its own scale. Waits do not stretch it: they may take days. */
function rangesOf(steps: readonly Step[], now: number): ReadonlyMap<number, Range> {
  const ranges = new Map<number, Range>()
  for (const step of steps) {
    const { iteration, startedAtMs } = step
    const known = ranges.get(iteration) ?? { startMs: startedAtMs, endMs: startedAtMs + 1 }
    const endMs = isWait(step) ? known.endMs : Math.max(known.endMs, endOf(step, now))
    ranges.set(iteration, { startMs: Math.min(known.startMs, startedAtMs), endMs })
  }
  return ranges
}

type Placed = Pick<StepRowProps, 'left' | 'width' | 'durationMs'>

function placeIn(range: Range | undefined, step: Step, now: number): Placed {
  const durationMs = endOf(step, now) - step.startedAtMs
  if (range === undefined) return { left: 0, width: 0, durationMs }
  const whole = range.endMs - range.startMs
  const left = Math.min(1, (step.startedAtMs - range.startMs) / whole)
  return { left, width: Math.min(1 - left, durationMs / whole), durationMs }
}

interface StepRowProps {
  readonly step: Step
  readonly isCurrent: boolean
  /** As shares of the whole. */
  readonly left: number
  readonly width: number
  readonly durationMs: number
  readonly onOpen: () => void
}

const tones: Readonly<Record<string, string>> = {
  agent: 'bg-accent',
  check: 'bg-good',
  certify: 'bg-good',
  tool: 'bg-warn',
  ask: 'bg-line',
  sleep: 'bg-line',
}

const widthMin = 0.6

function StepRow({ step, isCurrent, left, width, durationMs, onOpen }: StepRowProps): ReactElement {
  const { kind, name, state, spent } = step
  const isBad = state === 'failed' || step.evidence?.status === 'not-met'
  const tone = isBad ? 'bg-bad' : (tones[kind] ?? 'bg-muted')
  return (
    <button
      type="button"
      onClick={onOpen}
      aria-current={isCurrent}
      className={`grid w-full grid-cols-[minmax(0,12rem)_1fr_4.5rem] items-center gap-3 border-b border-line px-3 py-1 text-left text-[13px] hover:bg-sunken ${isCurrent ? 'bg-accent-soft' : ''}`}
    >
      <span className="flex min-w-0 gap-1.5">
        <span className="text-muted">{kind}</span>
        <span className="truncate">{name}</span>
        {isBad ? <span className="text-bad">{step.evidence?.status ?? 'failed'}</span> : null}
      </span>
      <span className="relative h-3 rounded bg-sunken" aria-hidden>
        <span
          className={`absolute inset-y-0 rounded ${tone}`}
          style={{
            left: `${Math.min(left * 100, 100 - widthMin)}%`,
            width: `${Math.max(widthMin, width * 100)}%`,
          }}
        />
      </span>
      <span className="text-right text-xs text-muted">
        {state === 'under-way' ? '… ' : ''}
        {state === 'interrupted' ? 'interrupted' : span(durationMs)}
        {spent.costMicros > 0 ? <span className="block">{money(spent.costMicros)}</span> : null}
      </span>
    </button>
  )
}
