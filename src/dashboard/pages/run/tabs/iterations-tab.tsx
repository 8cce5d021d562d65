/** The iterations as a timeline. What turned worse from one to the next is marked, and so is what ran again. */

import { CircleAlert, CircleCheck, CircleDashed, TrendingDown, Undo2 } from 'lucide-react'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { useSearch } from 'wouter'
import type { IterationSummary, RunDetail } from '../../../../client/browser.ts'
import { useWholeRunPart } from '../../../app/queries.ts'
import { CheckResult } from '../../../parts/check-status.tsx'
import { Changes } from '../../../parts/diff/changes.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { money, plural, shortCount, span } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'
import { type Shown, Status } from '../../../parts/status.tsx'
import { Time } from '../../../parts/time.tsx'
import type { TabProps } from './tab-props.ts'

export function IterationsTab({ detail }: TabProps): ReactElement {
  const { run } = detail
  const search = useSearch()
  const { data, error } = useWholeRunPart<IterationSummary>(run.id, 'iterations')
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  if (data.length === 0) {
    return (
      <div className="grid gap-4">
        <Preflight detail={detail} />
        <Empty title="No iteration has started." command={`loopctl tail ${run.name}`} />
      </div>
    )
  }
  const wanted = Number(new URLSearchParams(search).get('iteration') ?? Number.NaN)
  const newestFirst = data.map((one, at) => ({ one, before: data[at - 1] })).toReversed()
  return (
    <div className="grid gap-4">
      <ol className="grid gap-3" aria-label="Iterations, newest first">
        {newestFirst.map(({ one, before }, at) => (
          <IterationCard
            key={one.iteration}
            one={one}
            before={before}
            run={run}
            isOpen={at === 0 || one.iteration === wanted}
            isWanted={one.iteration === wanted}
          />
        ))}
      </ol>
      <Preflight detail={detail} />
    </div>
  )
}

const enteredOften = 3

function statusOfIteration({ ending, undone }: IterationSummary): Shown {
  if (undone) return { word: 'Undone', tone: 'muted', icon: Undo2 }
  switch (ending?.type) {
    case undefined:
      return { word: 'Open', tone: 'accent', icon: CircleDashed }
    case 'complete':
      return { word: 'Complete', tone: 'good', icon: CircleCheck }
    case 'continue':
      return { word: 'Continued', tone: 'muted', icon: CircleCheck }
    case 'rate-limited':
      return { word: 'Rate limited', tone: 'muted', icon: CircleDashed }
    case 'interrupted':
      return { word: 'Interrupted', tone: 'warn', icon: CircleAlert }
    case 'error':
      return { word: 'Error', tone: 'bad', icon: CircleAlert }
  }
}

interface IterationCardProps {
  readonly one: IterationSummary
  readonly before: IterationSummary | undefined
  readonly run: RunDetail['run']
  readonly isOpen: boolean
  /** The address names it. */
  readonly isWanted: boolean
}

function IterationCard(props: IterationCardProps): ReactElement {
  const { one, before, run, isOpen, isWanted } = props
  const card = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isWanted) card.current?.scrollIntoView({ block: 'start' })
  }, [isWanted])
  const [isShown, setIsShown] = useState(isOpen)
  const [hasDiff, setHasDiff] = useState(false)
  const worse = worseChecks(one, before)
  const { checks, spent, prompt, report, changed } = one
  const met = checks.filter(({ status }) => status === 'met').length
  return (
    <li ref={card} className="scroll-mt-12">
      <details
        open={isShown}
        onToggle={({ currentTarget, target }) => {
          if (target === currentTarget) setIsShown(currentTarget.open)
        }}
        className="rounded-xl border border-line bg-panel"
      >
        <summary className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
          <span className="font-semibold">Iteration {one.iteration}</span>
          <Status shown={statusOfIteration(one)} />
          {checks.length === 0 ? null : (
            <span className="text-muted">
              {met} of {plural(checks.length, 'check')} met
            </span>
          )}
          {worse.length === 0 ? null : (
            <span className="inline-flex items-center gap-1 font-medium text-bad">
              <TrendingDown size={15} aria-hidden /> Worse: {worse.join(', ')}
            </span>
          )}
          {one.entered > enteredOften ? (
            <span className="font-medium text-warn">
              Started {one.entered} times without a checkpoint
            </span>
          ) : null}
          <span className="ml-auto flex gap-4 text-xs text-muted">
            <span>{money(spent.costMicros)}</span>
            <span>{shortCount(spent.tokens)} tokens</span>
            <span>
              {one.endedAtMs === undefined ? (
                <Time atMs={one.startedAtMs} />
              ) : (
                span(one.endedAtMs - one.startedAtMs)
              )}
            </span>
          </span>
        </summary>
        {isShown ? (
          <div className="grid gap-3 border-t border-line p-4">
            <Ending one={one} />
            {checks.length === 0 ? null : (
              <ul className="flex flex-wrap gap-x-5 gap-y-1">
                {checks.map(({ check, status, flaky }) => (
                  <li key={check} className="inline-flex items-center gap-2">
                    <CheckResult status={status} />
                    <span className="font-mono text-[13px]">{check}</span>
                    {flaky === true ? <span className="text-warn">flaky</span> : null}
                  </li>
                ))}
              </ul>
            )}
            {report === undefined ? null : <Text title="What the agent reported" text={report} />}
            {prompt === undefined ? null : (
              <details>
                <summary className="text-muted">The prompt</summary>
                <Text title="" text={prompt} />
              </details>
            )}
            {changed === undefined || changed.length === 0 ? null : (
              <p className="text-muted">
                {plural(changed.length, 'file')} changed:{' '}
                <span className="font-mono text-[13px]">{changed.join(', ')}</span>
              </p>
            )}
            {one.before === undefined ||
            one.after === undefined ||
            one.before === one.after ? null : hasDiff ? (
              <Changes run={run} iteration={one.iteration} />
            ) : (
              <button
                type="button"
                onClick={() => setHasDiff(true)}
                className="justify-self-start text-accent hover:underline"
              >
                Show its changes
              </button>
            )}
          </div>
        ) : null}
      </details>
    </li>
  )
}

function worseChecks(
  { checks }: IterationSummary,
  before: IterationSummary | undefined,
): readonly string[] {
  const wasMet = new Set(
    before?.checks.filter(({ status }) => status === 'met').map(({ check }) => check),
  )
  return checks
    .filter(({ check, status }) => status !== 'met' && wasMet.has(check))
    .map(({ check }) => check)
}

function Ending({ one: { ending } }: { readonly one: IterationSummary }): ReactElement | null {
  switch (ending?.type) {
    case 'complete':
      return (
        <p>
          Met: <strong className="font-medium">{ending.met.condition}</strong>
          {ending.met.detail === undefined ? '' : ` (${ending.met.detail})`}
        </p>
      )
    case 'error':
      return <p className="text-bad">{ending.fault.message.split('\n')[0]}</p>
    case 'interrupted':
      return <p className="text-warn">{ending.reason}</p>
    case 'rate-limited':
      return <p className="text-muted">{ending.message}</p>
    case 'continue':
    case undefined:
      return null
  }
}

const Text = ({ title, text }: { readonly title: string; readonly text: string }): ReactElement => (
  <section>
    {title === '' ? null : <h3 className="mb-1 text-xs text-muted">{title}</h3>}
    <p
      className="max-h-80 overflow-y-auto rounded-md bg-sunken p-3 text-[13px] whitespace-pre-wrap"
      tabIndex={0}
    >
      {text}
    </p>
  </section>
)

const baseAnswers: Readonly<Record<string, string>> = {
  fails: 'not-met',
  passes: 'met',
  'cannot-run': 'error',
  timeout: 'timeout',
  unknown: 'pending',
}

function Preflight({ detail }: TabProps): ReactElement | null {
  const { preflight } = detail.state
  if (preflight === undefined || preflight.checks.length === 0) return null
  return (
    <section className="rounded-xl border border-line bg-panel p-4">
      <h2 className="mb-2 font-semibold">Before the first iteration</h2>
      <ul className="grid gap-1">
        {preflight.checks.map(({ check, answer, durationMs, detail: why }) => (
          <li key={check} className="flex flex-wrap items-center gap-x-3">
            <CheckResult status={baseAnswers[answer] ?? 'pending'} />
            <span className="font-mono text-[13px]">{check}</span>
            <span className="text-xs text-muted">{span(durationMs)}</span>
            {why === undefined ? null : <span className="text-muted">{why}</span>}
          </li>
        ))}
      </ul>
      {preflight.fault === undefined ? null : (
        <p className="mt-2 text-bad">{preflight.fault.message}</p>
      )}
    </section>
  )
}
