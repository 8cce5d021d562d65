/** The files of the run folder: prompts as they were sent, outputs, reports. Shown as text. */

import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import type { Artifact, Page } from '../../../../client/browser.ts'
import { useConnection } from '../../../app/connection.ts'
import { runKey } from '../../../app/live.ts'
import { useRunPart } from '../../../app/queries.ts'
import { Empty } from '../../../parts/empty.tsx'
import { bytes } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'
import type { TabProps } from './tab-props.ts'

const shownChars = 200_000

export function FilesTab({ detail }: TabProps): ReactElement {
  const { run } = detail
  const { data, error } = useRunPart<Page<Artifact>>(run.id, 'artifacts', {
    query: { limit: 1000 },
  })
  const [chosen, setChosen] = useState<string | undefined>()
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  const { items } = data
  const current =
    items.find(({ path }) => path === chosen) ??
    items.findLast(({ kind }) => kind === 'prompt') ??
    items[0]
  if (current === undefined) {
    return <Empty title="It has written no files yet." command={`loopctl inspect ${run.name}`} />
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <ul
        className="grid max-h-[70vh] overflow-y-auto rounded-xl border border-line bg-panel p-1"
        aria-label="Files"
      >
        {items.map(({ path, kind, bytes: size }) => (
          <li key={path} className="min-w-0">
            <button
              type="button"
              onClick={() => setChosen(path)}
              aria-current={path === current.path}
              className={`flex w-full items-baseline gap-2 rounded px-2 py-1 text-left ${path === current.path ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
            >
              <span className="min-w-0 flex-1 truncate font-mono text-[13px]">{path}</span>
              <span className="shrink-0 text-xs text-muted">
                {kind === 'other' ? '' : kind} {bytes(size)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <FileText key={current.path} run={run.id} path={current.path} />
    </div>
  )
}

function FileText({ run, path }: { readonly run: string; readonly path: string }): ReactElement {
  const { client } = useConnection()
  const { data, error } = useQuery({
    queryKey: [...runKey(run), 'file', path],
    queryFn: () => client.artifact(run, path),
  })
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  return (
    <pre
      tabIndex={0}
      aria-label={path}
      className="max-h-[75vh] overflow-auto rounded-xl border border-line bg-panel p-4 font-mono text-[12.5px] whitespace-pre-wrap"
    >
      {data.slice(0, shownChars)}
      {data.length > shownChars ? '\n…' : ''}
    </pre>
  )
}
