/**
 * What is found out about a run when it has ended, once for all of its folders: what it changed, as it was
 * then, for its branch may go; and a look back. Best effort: without them the files are whole.
 */

import type { RunRow } from '../../engine/index.ts'
import { masked } from '../../system/mask.ts'
import { builtIn } from '../postmortem/built-in.ts'
import { maskFor } from '../postmortem/mask-for.ts'
import { type ReviewDiff, reviewDiff } from '../review-diff.ts'
import { type FolderHost, fileBytesMax } from './options.ts'
import type { PostmortemFact } from './postmortem-rows.ts'

export interface LastLook {
  /** `review-diff.json`; undefined where there is nothing to compare. */
  diff(): Promise<string | undefined>
  lookBack(run: RunRow): Promise<PostmortemFact | undefined>
}

export function createLastLook(host: FolderHost, { id }: Pick<RunRow, 'id'>): LastLook {
  let compared: Promise<ReviewDiff | undefined> | undefined
  let looked: Promise<PostmortemFact | undefined> | undefined
  const compare = (): Promise<ReviewDiff | undefined> => {
    compared ??= compareMasked(host, id).catch(() => undefined)
    return compared
  }
  const look = async (run: RunRow): Promise<PostmortemFact | undefined> => {
    const found = await builtIn(host, run, await compare()).catch(() => undefined)
    if (found === undefined) return undefined
    const { atMs, files, rootCause } = found
    return { startedAtMs: atMs, endedAtMs: atMs, status: 'ok', reason: rootCause, files }
  }
  return {
    diff: async () => toText(await compare()),
    lookBack(run) {
      looked ??= look(run)
      return looked
    },
  }
}

/** The branch has the files as they are; this is a view of them. */
async function compareMasked(host: FolderHost, id: RunRow['id']): Promise<ReviewDiff> {
  const run = await host.journal.findRun(id)
  return masked(await maskFor(host, run), await reviewDiff(host, id))
}

function toText(diff: ReviewDiff | undefined): string | undefined {
  if (diff === undefined) return undefined
  const text = `${JSON.stringify(diff, null, 2)}\n`
  if (Buffer.byteLength(text) <= fileBytesMax) return text
  const files = diff.files.map(({ patch: _patch, ...file }) => file)
  return `${JSON.stringify({ ...diff, files, isCut: true }, null, 2)}\n`
}
