/**
 * What users have approved about dependencies, by content: packages from git and from URLs, install
 * scripts, versions that no lockfile pins. Stored in the state folder, not in a repository.
 */

import { join } from 'node:path'
import { z } from 'zod'
import type { DependencyItem } from '../../evidence/index.ts'
import { guardedEntriesMax, openGuardedList } from '../../system/index.ts'
import { describeSource, type ForeignSource, sourceId } from './registry/foreign-source.ts'

interface ApprovedEntry {
  readonly id: string
  readonly by: string
  readonly atMs: number
}

const entrySchema: z.ZodType<ApprovedEntry> = z.object({
  id: z.string().min(1).max(10_000),
  by: z.string().max(1000),
  atMs: z.number(),
})

export interface ApprovedItems {
  /** Adds to each approved item who approved it and when. */
  mark(items: readonly DependencyItem[]): Promise<readonly DependencyItem[]>
  approve(ids: readonly string[], by: string): Promise<void>
}

export function openApprovedItems(stateFolder: string): ApprovedItems {
  const list = openGuardedList({
    path: join(stateFolder, 'approved-dependencies.json'),
    member: 'approved',
    entry: entrySchema,
    consequence: 'no dependency is approved until you approve it again',
  })
  return {
    async mark(items) {
      const { entries } = await list.read()
      const known = new Map(entries.map(({ id, by, atMs }) => [id, { by, atMs }]))
      return items.map((item) => {
        const approved = known.get(item.id)
        return approved === undefined ? item : { ...item, approved }
      })
    },
    async approve(ids, by) {
      if (ids.length === 0) return
      await list.change((entries) => {
        const known = new Set(entries.map(({ id }) => id))
        const fresh = ids.filter((id) => !known.has(id))
        if (fresh.length === 0) return { result: undefined }
        const added = fresh.map((id) => ({ id, by, atMs: Date.now() }))
        return { next: [...added, ...entries].slice(0, guardedEntriesMax), result: undefined }
      })
    },
  }
}

export const toSourceItem = (source: ForeignSource): DependencyItem => ({
  kind: 'dependency-source',
  id: sourceId(source),
  text: describeSource(source),
})
