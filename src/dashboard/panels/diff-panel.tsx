/** A proposed change as a diff. If it answers an open question, a person picks it here. */

import { Check } from 'lucide-react'
import type { ReactElement } from 'react'
import {
  type DiffGap,
  type DiffLine,
  diffLines,
  type Panel,
  type Run,
  withoutDistant,
} from '../../client/browser.ts'
import { useConnection } from '../app/connection.ts'
import { useQuestions } from '../app/queries.ts'
import { useDecision } from '../pages/run/controls/use-decision.ts'
import { Button } from '../parts/button.tsx'
import { plural } from '../parts/format.ts'
import { Problem } from '../parts/problem.tsx'

type Diff = Extract<Panel, { type: 'diff' }>

export interface DiffPanelProps {
  readonly panel: Diff
  readonly run: Pick<Run, 'id' | 'name'>
}

export function DiffPanel({ panel, run }: DiffPanelProps): ReactElement {
  return (
    <div className="grid gap-2">
      {panel.changes.map(({ path, before, after }, at) => (
        <figure key={at} className="overflow-hidden rounded-lg border border-line">
          <figcaption className="bg-sunken px-3 py-1 font-mono text-[13px]">{path}</figcaption>
          <pre
            className="max-h-96 overflow-auto py-1 font-mono text-xs leading-5"
            tabIndex={0}
            aria-label={`Change of ${path}`}
          >
            {withoutDistant(diffLines(before, after)).map((line, index) => (
              <Line key={index} line={line} />
            ))}
          </pre>
        </figure>
      ))}
      {panel.answer === undefined ? null : <Pick answer={panel.answer} run={run} />}
    </div>
  )
}

const looks = {
  same: ['', '  '],
  removed: ['bg-bad-soft', '- '],
  added: ['bg-good-soft', '+ '],
} as const

function Line({ line }: { readonly line: DiffLine | DiffGap }): ReactElement {
  if (line.type === 'gap') {
    return <span className="block px-3 text-muted">… {plural(line.lines, 'equal line')}</span>
  }
  const [look, sign] = looks[line.type]
  return (
    <span className={`block min-h-5 px-3 whitespace-pre-wrap ${look}`}>
      <span className="text-muted select-none">{sign}</span>
      {line.text}
    </span>
  )
}

interface PickProps extends Pick<DiffPanelProps, 'run'> {
  readonly answer: NonNullable<Diff['answer']>
}

function Pick({ answer, run }: PickProps): ReactElement | null {
  const { client, canDecide, session } = useConnection()
  const questions = useQuestions()
  const decision = useDecision(run.name)
  const isOpen = questions.data?.items.some(
    ({ id, run: of }) => id === answer.question && of.id === run.id,
  )
  if (!canDecide || isOpen !== true) return null
  const pick = async (): Promise<void> => {
    const by = session.name ?? 'dashboard'
    await client.answer(run.id, answer.question, answer.option, by)
    await questions.refetch()
  }
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button kind="primary" disabled={decision.isPending} onClick={() => decision.mutate(pick)}>
        <Check size={15} aria-hidden /> Pick {answer.option}
      </Button>
      {decision.error === null ? null : <Problem error={decision.error} />}
    </div>
  )
}
