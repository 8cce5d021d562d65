/** A question with all that it is based on, and the ways to answer it. */

import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { type InboxQuestion, shortQuestion } from '../../../client/browser.ts'
import { useRun } from '../../app/queries.ts'
import { CheckResult } from '../../parts/check-status.tsx'
import { Changes } from '../../parts/diff/changes.tsx'
import { money, plural } from '../../parts/format.ts'
import { Time } from '../../parts/time.tsx'
import { AnswerForm } from './answer-form.tsx'
import { OfferedPanels, useOffered } from './offered-panels.tsx'

export function QuestionDetail({ asked }: { readonly asked: InboxQuestion }): ReactElement {
  const { run, question } = asked
  const { evidence } = question
  const detail = useRun(run.id).data
  const state = detail?.state
  const offered = useOffered(asked)
  const isLong = question.text.trim().includes('\n')
  // What was observed is shown once.
  const happened = (evidence?.happened ?? []).filter((text) => text !== question.review?.observed)
  return (
    <article
      className="grid gap-4 rounded-xl border border-line bg-panel p-4"
      aria-label="Question"
    >
      <header className="grid gap-1">
        <p className="text-muted">
          <Link href={`/runs/${run.name}`} className="font-medium text-accent hover:underline">
            {run.name}
          </Link>
          {state === undefined
            ? null
            : ` · ${state.loop} · iteration ${state.open?.iteration ?? state.iteration} of ${state.limits.iterations} · ${money(state.spent.costMicros)} of ${money(state.limits.costMicros)}`}
        </p>
        <h2 className="text-base font-semibold">{shortQuestion(question.text)}</h2>
        <p className="text-muted">
          Asked <Time atMs={asked.askedAtMs} />. Without an answer it takes{' '}
          <strong className="font-semibold text-text">{question.default}</strong>{' '}
          <Time atMs={asked.deadlineAtMs} />.
        </p>
      </header>
      {question.review === undefined && isLong ? (
        <p className="rounded-md bg-sunken p-3 whitespace-pre-wrap">{question.text}</p>
      ) : null}
      {question.review === undefined ? null : (
        <section className="grid gap-1">
          <h3 className="font-semibold">What was observed</h3>
          <p className="whitespace-pre-wrap">{question.review.observed}</p>
          {question.review.first.length === 0 ? null : (
            <p className="text-muted">Look at first: {question.review.first.join(', ')}</p>
          )}
        </section>
      )}
      <AnswerForm asked={asked} />
      {offered === undefined || offered.length === 0 ? null : (
        <OfferedPanels asked={asked} panels={offered} />
      )}
      {happened.length === 0 || offered?.length !== 0 ? null : (
        <section className="grid gap-1">
          <h3 className="font-semibold">What happened</h3>
          <ul className="list-disc pl-5">
            {happened.map((text) => (
              <li key={text} className="whitespace-pre-wrap">
                {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      {question.review === undefined || !isLong ? null : (
        <details>
          <summary className="text-accent">
            All of the question, as the agent and the journal have it
          </summary>
          <p className="mt-1 rounded-md bg-sunken p-3 whitespace-pre-wrap">{question.text}</p>
        </details>
      )}
      {evidence?.checks === undefined || evidence.checks.length === 0 ? null : (
        <section className="grid gap-2">
          <h3 className="font-semibold">{plural(evidence.checks.length, 'check')}</h3>
          {evidence.checks.map(({ check, status, output }) => (
            <details key={check} className="rounded-md border border-line" open={status !== 'met'}>
              <summary className="flex items-center gap-3 px-3 py-1.5">
                <CheckResult status={status} />
                <span className="font-mono text-[13px]">{check}</span>
              </summary>
              {output === undefined || output === '' ? null : (
                <pre
                  tabIndex={0}
                  className="max-h-72 overflow-auto border-t border-line bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
                >
                  {output}
                </pre>
              )}
            </details>
          ))}
        </section>
      )}
      {detail === undefined || detail.run.workspace === undefined ? null : (
        <section className="grid gap-2">
          <h3 className="font-semibold">Changes so far</h3>
          <Changes run={detail.run} />
        </section>
      )}
    </article>
  )
}
