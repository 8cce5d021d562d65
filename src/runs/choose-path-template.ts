/** The name of a worktree's folder, where the default would keep the tools of the project from working. */

import { join } from 'node:path'
import { readSmallFile } from '../system/index.ts'
import type { Repository } from '../workspace/index.ts'

/** Like the default, without a dot. */
const withoutDot = '../{{ repo }}-{{ run_branch | sanitize }}'
const bytesMax = 64 * 1024

/** An array of `include` that names the folder itself. */
const includesItself = /"include"\s{0,20}:\s{0,20}\[[^\]]{0,2000}"\.\/?"/

/**
 * TypeScript takes a folder with a dot in its name for a file if `include` of tsconfig.json names it as ".", and finds
 * no sources. Undefined: the default does.
 */
export async function choosePathTemplate(
  { checkout }: Pick<Repository, 'checkout'>,
  chosen: string | undefined,
): Promise<string | undefined> {
  if (chosen !== undefined || checkout === undefined) return chosen
  const text = await readSmallFile(join(checkout, 'tsconfig.json'), bytesMax).catch(() => '')
  return includesItself.test(text) ? withoutDot : undefined
}
