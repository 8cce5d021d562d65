/** The changes of a run, or of one of its iterations. */

import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactElement, Suspense } from 'react'
import { isEnd, type Run } from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'
import { runKey } from '../../app/live.ts'
import { Empty } from '../empty.tsx'
import { plural } from '../format.ts'
import { Loading, Problem } from '../problem.tsx'

const DiffView = lazy(async () => ({ default: (await import('./diff-view.tsx')).DiffView }))

export interface ChangesProps {
  readonly run: Pick<Run, 'id' | 'name' | 'status'>
  readonly iteration?: number
}

export function Changes({ run, iteration }: ChangesProps): ReactElement {
  const { client, canDecide, session } = useConnection()
  const { data, error } = useQuery({
    queryKey: [...runKey(run.id), 'diff', iteration],
    queryFn: () => client.diff(run.id, iteration === undefined ? {} : { iteration }),
  })
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  const { files, patch = '', leftOut } = data
  if (files.length === 0) {
    return <Empty title="No file differs." command={`loopctl diff ${run.name}`} />
  }
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0)
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0)
  const canComment = canDecide && !isEnd(run.status)
  const comment = (file: string, line: number, text: string): Promise<void> =>
    client.sendDecision(
      run.id,
      { type: 'tell', text, at: { file, line } },
      session.name ?? 'dashboard',
    )
  return (
    <div className="grid gap-2">
      <p className="text-muted">
        {plural(files.length, 'file')} <span className="text-good">+{added}</span>{' '}
        <span className="text-bad">−{removed}</span>
        {canComment ? ' · Click a line number to tell the agent something about that line.' : ''}
      </p>
      {leftOut.length === 0 ? null : (
        <p className="rounded-md bg-warn-soft p-2 text-warn">
          In the worktree, but in no commit: {leftOut.join(', ')}
        </p>
      )}
      <Suspense fallback={<Loading />}>
        <DiffView patch={patch} {...(canComment ? { onComment: comment } : {})} />
      </Suspense>
    </div>
  )
}
