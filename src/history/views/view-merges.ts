/** The merge queue, line by line. */

import type { MergeRow } from '../../engine/index.ts'
import type { MergeLines, QueuedMerge } from '../../protocol/api/index.ts'
import type { RecordSource } from './record-source.ts'

const endedMax = 200
const filesMax = 50
const reasonCharsMax = 2000

/** Lines with work that waits come first, then those that changed last. */
export async function viewMerges({ journal }: Pick<RecordSource, 'journal'>): Promise<MergeLines> {
  const { merges } = journal
  const open = await merges.listOpen()
  const ended = (await merges.listNewest(endedMax)).filter(({ position }) => position === undefined)
  const lines = new Map<string, { readonly row: MergeRow; readonly requests: QueuedMerge[] }>()
  for (const row of [...open, ...ended]) {
    const key = `${row.repository}\0${row.target}`
    const line = lines.get(key) ?? { row, requests: [] }
    line.requests.push(toRequest(row))
    lines.set(key, line)
  }
  const items = [...lines.values()].map(async ({ row: { repository, target }, requests }) => ({
    repository,
    target,
    isHeld: await merges.isHeld({ repository, target }),
    requests,
  }))
  return { items: await Promise.all(items) }
}

function toRequest({
  run,
  name,
  branch,
  strategy,
  queuedAtMs,
  position,
  progress,
}: MergeRow): QueuedMerge {
  const request = {
    run: { id: run, name },
    branch,
    strategy,
    queuedAtMs,
    state: progress.state,
    ...(position === undefined ? {} : { position }),
  }
  switch (progress.state) {
    case 'queued':
      return request
    case 'merging':
    case 'merged': {
      const { commit, certificate } = progress
      return {
        ...request,
        ...(commit === undefined ? {} : { commit }),
        ...(certificate === undefined ? {} : { certificate }),
      }
    }
    case 'conflict':
      return {
        ...request,
        reason: progress.reason.slice(0, reasonCharsMax),
        files: progress.conflict.files.slice(0, filesMax),
      }
    case 'failed':
      return { ...request, reason: progress.reason.slice(0, reasonCharsMax) }
  }
}
