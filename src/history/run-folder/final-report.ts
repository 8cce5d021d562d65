/**
 * The diff and the postmortem of an ended run, computed once for all its folders. The diff is stored because the
 * branch may be deleted later. Best effort: the files are complete without them.
 */

import type { RunRow } from '../../engine/index.ts'
import { maskDeep } from '../../system/mask.ts'
import { createBuiltInPostmortem } from '../postmortem/built-in.ts'
import { createRunMask } from '../postmortem/create-run-mask.ts'
import { type ReviewDiff, reviewDiff } from '../review-diff.ts'
import { type FolderHost, fileBytesMax } from './options.ts'
import type { PostmortemFact } from './postmortem-rows.ts'

export interface FinalReport {
  /** `review-diff.json`; undefined: there is nothing to compare. */
  diff(): Promise<string | undefined>
  readPostmortem(run: RunRow): Promise<PostmortemFact | undefined>
}

export function createFinalReport(host: FolderHost, { id }: Pick<RunRow, 'id'>): FinalReport {
  let compared: Promise<ReviewDiff | undefined> | undefined
  let postmortem: Promise<PostmortemFact | undefined> | undefined
  const compare = (): Promise<ReviewDiff | undefined> => {
    compared ??= compareMasked(host, id).catch(() => undefined)
    return compared
  }
  const createPostmortem = async (run: RunRow): Promise<PostmortemFact | undefined> => {
    const found = await createBuiltInPostmortem(host, run, await compare()).catch(() => undefined)
    if (found === undefined) return undefined
    const { atMs, files, rootCause } = found
    return { startedAtMs: atMs, endedAtMs: atMs, status: 'ok', reason: rootCause, files }
  }
  return {
    diff: async () => toText(await compare()),
    readPostmortem(run) {
      postmortem ??= createPostmortem(run)
      return postmortem
    },
  }
}

/** Secrets are masked: the branch has the exact files. */
async function compareMasked(host: FolderHost, id: RunRow['id']): Promise<ReviewDiff> {
  const run = await host.journal.findRun(id)
  return maskDeep(await createRunMask(host, run), await reviewDiff(host, id))
}

function toText(diff: ReviewDiff | undefined): string | undefined {
  if (diff === undefined) return undefined
  const text = `${JSON.stringify(diff, null, 2)}\n`
  if (Buffer.byteLength(text) <= fileBytesMax) return text
  const files = diff.files.map(({ patch: _patch, ...file }) => file)
  return `${JSON.stringify({ ...diff, files, isCut: true }, null, 2)}\n`
}
