/** The merge queue: for each branch, what waits to be merged into it, and what became of the newest requests. */

import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleX,
  GitMerge,
  type LucideIcon,
} from 'lucide-react'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { MergeLines } from '../../../client/browser.ts'
import { useMerges } from '../../app/queries.ts'
import { Empty } from '../../parts/empty.tsx'
import { plural, shortPath } from '../../parts/format.ts'
import { Loading, Problem } from '../../parts/problem.tsx'
import { type Shown, Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'

type Line = MergeLines['items'][number]
type Request = Line['requests'][number]

export function MergesPage(): ReactElement {
  const { data, error } = useMerges()
  return (
    <div className="grid gap-4 p-4 md:p-6">
      <header>
        <h1 className="text-lg font-semibold">Merges</h1>
        <p className="text-muted">
          Each branch has one line. Certified work is merged in order; what no longer fits is
          certified again or goes back to its run.
        </p>
      </header>
      {error === null ? null : <Problem error={error} />}
      {data === undefined && error === null ? <Loading /> : null}
      {data?.items.length === 0 ? (
        <Empty title="Nothing was merged yet." command="loopctl merge <run>">
          A loop with “then: [merge]” merges its certified work. To merge the work of a completed
          run:
        </Empty>
      ) : null}
      {data?.items.map((line) => (
        <LineCard key={`${line.repository} ${line.target}`} line={line} />
      ))}
    </div>
  )
}

function LineCard({ line }: { readonly line: Line }): ReactElement {
  const { repository, target, isHeld, requests } = line
  const waiting = requests.filter(({ position }) => position !== undefined).length
  return (
    <section className="grid gap-2 rounded-xl border border-line bg-panel p-4">
      <header className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h2 className="font-mono font-semibold">{target}</h2>
        <span className="text-muted" title={repository}>
          {shortPath(repository.replace(/\/\.git$/, ''))}
        </span>
        <span className={`ml-auto ${waiting > 0 ? 'font-medium text-warn' : 'text-muted'}`}>
          {waiting === 0 ? 'nothing waits' : `${plural(waiting, 'request')} waiting`}
          {isHeld ? ', being worked through' : ''}
        </span>
      </header>
      <ol className="divide-y divide-line">
        {requests.map((request) => (
          <li key={`${request.run.id} ${request.queuedAtMs} ${request.state}`} className="py-2">
            <RequestRow request={request} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const looks: Readonly<Record<Request['state'], Shown>> = {
  queued: { word: 'Waits', tone: 'muted', icon: CircleDashed },
  merging: { word: 'Being merged', tone: 'accent', icon: GitMerge },
  merged: { word: 'Merged', tone: 'good', icon: CircleCheck },
  conflict: { word: 'Conflict', tone: 'warn', icon: CircleAlert },
  failed: { word: 'Failed', tone: 'bad', icon: CircleX },
} satisfies Readonly<Record<Request['state'], Shown & { readonly icon: LucideIcon }>>

function RequestRow({ request }: { readonly request: Request }): ReactElement {
  const { run, branch, strategy, state, queuedAtMs, position, reason, files, commit } = request
  return (
    <div className="grid gap-1">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Status shown={looks[state]} />
        <Link href={`/runs/${run.name}`} className="font-medium text-accent hover:underline">
          {run.name}
        </Link>
        <span className="font-mono text-[13px] text-muted">{branch}</span>
        <span className="ml-auto flex gap-4 text-xs text-muted">
          {position === undefined ? null : <span>number {position} in line</span>}
          <span>{strategy}</span>
          {commit === undefined ? null : <code className="font-mono">{commit.slice(0, 10)}</code>}
          <Time atMs={queuedAtMs} />
        </span>
      </p>
      {reason === undefined ? null : <p className="whitespace-pre-wrap text-warn">{reason}</p>}
      {files === undefined || files.length === 0 ? null : (
        <p className="text-muted">
          Both sides changed <span className="font-mono text-[13px]">{files.join(', ')}</span>
        </p>
      )}
    </div>
  )
}
