/** What needs a person: the open questions of all runs, the earliest deadline first. */

import { type ReactElement, useEffect, useState } from 'react'
import { type InboxQuestion, shortQuestion } from '../../../client/browser.ts'
import { useQuestions, useRunList } from '../../app/queries.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Empty } from '../../parts/empty.tsx'
import { plural } from '../../parts/format.ts'
import { Loading, Problem } from '../../parts/problem.tsx'
import { Time } from '../../parts/time.tsx'
import { QuestionDetail } from './question-detail.tsx'
import { WorthALook } from './worth-a-look.tsx'

export interface NeedsPageProps {
  /** Opens the first question of this run. */
  readonly run?: string
}

const keyOf = ({ run, id }: InboxQuestion): string => `${run.id} ${id}`

export function NeedsPage({ run }: NeedsPageProps): ReactElement {
  const { data, error } = useQuestions()
  const [chosen, setChosen] = useState<string>()
  const questions = data?.items ?? []
  const named = questions.find((one) => one.run.name === run || one.run.id === run)
  const current = questions.find((one) => keyOf(one) === chosen) ?? named ?? questions[0]
  const move = (by: number): void => {
    const at = current === undefined ? 0 : questions.indexOf(current)
    const next = questions[Math.min(Math.max(at + by, 0), questions.length - 1)]
    if (next !== undefined) setChosen(keyOf(next))
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) })
  useEffect(() => {
    if (current !== undefined && chosen === undefined) setChosen(keyOf(current))
  }, [current, chosen])
  if (error !== null) return <Padded>{<Problem error={error} />}</Padded>
  if (data === undefined) return <Loading />
  return (
    <Padded>
      <h1 className="text-lg font-semibold">
        {questions.length === 0
          ? 'Nothing needs you'
          : `Needs you: ${plural(questions.length, 'question')}`}
      </h1>
      {questions.length === 0 ? <NothingOpen /> : null}
      {current === undefined ? null : (
        <div className="grid items-start gap-4 lg:grid-cols-[19rem_1fr]">
          <ul className="grid gap-1 lg:sticky lg:top-4" aria-label="Open questions">
            {questions.map((one) => (
              <QuestionRow
                key={keyOf(one)}
                question={one}
                isCurrent={one === current}
                onOpen={() => setChosen(keyOf(one))}
              />
            ))}
          </ul>
          <QuestionDetail key={keyOf(current)} asked={current} />
        </div>
      )}
      <WorthALook />
    </Padded>
  )
}

const Padded = ({ children }: { readonly children: React.ReactNode }): ReactElement => (
  <div className="mx-auto grid max-w-6xl gap-4 p-4 md:p-6">{children}</div>
)

function NothingOpen(): ReactElement {
  const { items } = useRunList({})
  return items.length === 0 ? (
    <Empty title="No run yet." command="loopctl run">
      A run that needs a decision appears here. Start one in a repository:
    </Empty>
  ) : (
    <p className="text-muted">
      No run waits for an answer. Questions appear here as soon as a run asks one.
    </p>
  )
}

interface QuestionRowProps {
  readonly question: InboxQuestion
  readonly isCurrent: boolean
  readonly onOpen: () => void
}

const QuestionRow = ({ question, isCurrent, onOpen }: QuestionRowProps): ReactElement => (
  <li>
    <button
      type="button"
      onClick={onOpen}
      aria-current={isCurrent}
      className={`grid w-full gap-0.5 rounded-lg border px-3 py-2 text-left ${isCurrent ? 'border-accent bg-panel' : 'border-transparent hover:bg-sunken'}`}
    >
      <span className="flex items-baseline justify-between gap-2">
        <span className="truncate font-medium">{question.run.name}</span>
        <span className="text-xs text-muted">
          <Time atMs={question.askedAtMs} />
        </span>
      </span>
      <span className="line-clamp-2 text-muted">{shortQuestion(question.question.text)}</span>
      <span className="text-xs text-warn">
        Default <Time atMs={question.deadlineAtMs} />
      </span>
    </button>
  </li>
)
