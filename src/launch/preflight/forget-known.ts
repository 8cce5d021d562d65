/** Forgets cached results of checks, and earlier attempts of agents. */

import { readdir, rm } from 'node:fs/promises'
import type { Runs } from '../../runs/runs.ts'
import { baseAnswersFolder } from '../certify/file-base-answers.ts'

export interface Forgotten {
  /** The number of forgotten check results. */
  readonly answers: number
  /** The number of forgotten attempts. */
  readonly attempts: number
}

export async function forgetKnown(
  { folder, journal }: Pick<Runs, 'folder' | 'journal'>,
  run?: string,
): Promise<Forgotten> {
  if (run !== undefined) {
    const { id } = await journal.findRun(run)
    return { answers: 0, attempts: await journal.forgetTried(id) }
  }
  const known = baseAnswersFolder(folder)
  const answers = (await readdir(known).catch(() => [])).length
  await rm(known, { recursive: true, force: true })
  return { answers, attempts: await journal.forgetTried() }
}
