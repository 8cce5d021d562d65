/** The repository or folder that a folder belongs to, as runs are listed with it. */

import { realpath } from 'node:fs/promises'
import { findRepository } from '../workspace/index.ts'

/**
 * Loops that work in a folder itself belong to that folder, all others to its repository. The folder, if `isKnown` says so;
 * otherwise its repository, or the folder if it is in none.
 */
export async function findProject(
  folder: string,
  isKnown: (project: string) => Promise<boolean>,
): Promise<string> {
  const exact = await realpath(folder).catch(() => folder)
  if (await isKnown(exact)) return exact
  const repository = await findRepository(exact).catch(() => undefined)
  return repository === undefined ? exact : repository.commonDir.replace(/\/\.git$/, '')
}
