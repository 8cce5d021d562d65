/**
 * Everything that a run put on record, in order: its creation, the units of its events, decisions, and
 * what actions did to the world. Any beginning of that list is what a crash could have left.
 */

import type { Actions, Decision } from 'loopwright'
import type { Journal, NewRun, Unit } from '#src/engine/index.ts'
import { createOwnerId } from '#src/system/index.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'

export type Entry =
  | { readonly type: 'created'; readonly run: NewRun }
  | { readonly type: 'unit'; readonly unit: Unit }
  | {
      readonly type: 'decided'
      readonly decision: Decision
      readonly by: string
      readonly atMs: number
    }
  | { readonly type: 'acted'; readonly key: string }

export function recordingJournal(journal: Journal, entries: Entry[]): Journal {
  return {
    ...journal,
    async createRun(run) {
      await journal.createRun(run)
      entries.push({ type: 'created', run })
    },
    async append(lease, unit) {
      await journal.append(lease, unit)
      entries.push({ type: 'unit', unit })
    },
    async recordDecision(run, decision, by, atMs) {
      const stored = await journal.recordDecision(run, decision, by, atMs)
      entries.push({ type: 'decided', decision, by, atMs })
      return stored
    },
  }
}

/** Actions whose world is this list; it outlives the process that acts. */
export function recordingActions(entries: Entry[], actions: Actions): Actions {
  return {
    async perform(action, key, context) {
      const receipt = await actions.perform(action, key, context)
      entries.push({ type: 'acted', key })
      return receipt
    },
    async find(action, key) {
      const done = entries.some((entry) => entry.type === 'acted' && entry.key === key)
      if (!done) return { type: 'not-done' }
      return { type: 'done', receipt: { status: 'done', summary: action.summary } }
    },
  }
}

/** Writes a record that holds these entries and nothing else, left behind by a dead process. */
export async function writeRecord(path: string, entries: readonly Entry[]): Promise<void> {
  const journal = openLocalStore({ path, synchronous: 'NORMAL' })
  try {
    const [first, ...rest] = entries
    if (first?.type !== 'created') throw new Error('a record begins with the creation of its run')
    await journal.createRun(first.run)
    const { id } = first.run
    const lease = rest.length === 0 ? undefined : await journal.acquire(id, deadOwner())
    for (const entry of rest) {
      if (entry.type === 'unit' && lease !== undefined) await journal.append(lease, entry.unit)
      if (entry.type !== 'decided') continue
      await journal.recordDecision(id, entry.decision, entry.by, entry.atMs)
    }
  } finally {
    await journal.close()
  }
}

/** A process that had the number of this one, and is gone. */
function deadOwner(): string {
  const [host, namespace, pid, , nonce] = createOwnerId().split('|')
  return [host, namespace, pid, '1', nonce].join('|')
}
