/** What a new run would wait for in the current queue. Pure. */

import type { Plan, QueueEntry } from '../../protocol/api/index.ts'

export interface QueueLimits {
  readonly maxConcurrentRuns: number
  readonly maxRunsPerWorkspace: number
}

export function wouldWait(
  entries: readonly QueueEntry[],
  { maxConcurrentRuns, maxRunsPerWorkspace }: QueueLimits,
  { workspace, isInPlace }: { readonly workspace: string; readonly isInPlace: boolean },
): NonNullable<Plan['queue']> {
  const driven = entries.filter(
    ({ state, waitsFor }) => state === 'driven' && waitsFor !== 'person',
  )
  const rivals = driven.filter((entry) => entry.workspace === workspace)
  const inSameFolder = isInPlace ? rivals.filter((entry) => entry.place === workspace) : []
  if (rivals.length >= maxRunsPerWorkspace || inSameFolder.length > 0) {
    const names = rivals.map(({ name }) => name).join(', ')
    return { waitsFor: 'workspace', why: `waits for workspace ${workspace} (${names})` }
  }
  const queued = entries.filter(({ state, waitsFor }) => state === 'queued' && waitsFor === 'slot')
  if (driven.length < maxConcurrentRuns && queued.length === 0) return { waitsFor: 'nothing' }
  const before = queued.length === 0 ? '' : `, and ${queued.length} wait for one`
  const why = `waits for a slot: ${driven.length} of ${maxConcurrentRuns} runs are at work${before}`
  return { waitsFor: 'slot', why }
}
