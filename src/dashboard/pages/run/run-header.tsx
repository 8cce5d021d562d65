/** The facts of a run at a glance: outcome, certificate, progress, cost; and what can be done with it. */

import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { isEnd, type RunDetail, shortQuestion } from '../../../client/browser.ts'
import { Status, statusOf } from '../../parts/status.tsx'
import { RunControls } from './controls/run-controls.tsx'
import { describeOutcomeShort } from './describe-outcome.ts'
import { RunFacts } from './run-facts.tsx'

export function RunHeader({ detail }: { readonly detail: RunDetail }): ReactElement {
  const { run, state, questions, why, queue } = detail
  const isCertified =
    state.certificate !== undefined && state.certificate.iteration === state.iteration
  const [question] = questions
  const shown = statusOf({
    run,
    ...(detail.review === undefined ? {} : { review: detail.review }),
    ...(state.certificate === undefined
      ? {}
      : { certificate: { id: state.certificate.id, isCurrent: isCertified } }),
    ...(question === undefined || isEnd(run.status)
      ? {}
      : {
          waitsFor: {
            type: 'person' as const,
            question: question.id,
            text: question.question.text,
            askedAtMs: question.askedAtMs,
            deadlineAtMs: question.deadlineAtMs,
            count: questions.length,
          },
        }),
  })
  const explanation =
    state.outcome === undefined
      ? question === undefined
        ? (why ?? queue?.why)
        : undefined
      : describeOutcomeShort(state.outcome)
  return (
    <header className="grid gap-3 px-4 pt-4 pb-3 md:px-6 md:pt-6">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 max-md:basis-full">
          <p className="text-xs text-muted">
            <Link href="/runs" className="hover:underline">
              Runs
            </Link>
            {' / '}
            <Link href={`/runs?loop=${encodeURIComponent(run.loop)}`} className="hover:underline">
              {run.loop}
            </Link>
          </p>
          <h1 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-lg font-semibold">
            {run.name}{' '}
            <span className="text-sm">
              <Status shown={shown} isBadge />
            </span>
          </h1>
          {explanation === undefined ? null : <p className="mt-1 text-muted">{explanation}</p>}
        </div>
        <RunControls detail={detail} />
      </div>
      {question === undefined || isEnd(run.status) ? null : (
        <Link
          href={`/questions/${run.name}`}
          className="rounded-lg bg-warn-soft px-3 py-2 font-medium text-warn hover:underline"
        >
          Waits for you: {shortQuestion(question.question.text)}
        </Link>
      )}
      <RunFacts detail={detail} isCertified={isCertified} />
    </header>
  )
}
