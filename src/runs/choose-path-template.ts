/** Chooses another folder name for a worktree if the default name would break tools of the project. */

import { join } from 'node:path'
import { readSmallFile } from '../system/index.ts'
import type { Repository } from '../workspace/index.ts'

/** Like the default, without a dot. */
const withoutDot = '../{{ repo }}-{{ run_branch | sanitize }}'
const bytesMax = 64 * 1024

/** An `include` array that names the folder itself. */
const includesItself = /"include"\s{0,20}:\s{0,20}\[[^\]]{0,2000}"\.\/?"/

/**
 * If `include` of tsconfig.json is ".", TypeScript mistakes a folder with a dot in its name for a file and finds no
 * sources. Undefined: use the default.
 */
export async function choosePathTemplate(
  { checkout }: Pick<Repository, 'checkout'>,
  chosen: string | undefined,
): Promise<string | undefined> {
  if (chosen !== undefined || checkout === undefined) return chosen
  const text = await readSmallFile(join(checkout, 'tsconfig.json'), bytesMax).catch(() => '')
  return includesItself.test(text) ? withoutDot : undefined
}
