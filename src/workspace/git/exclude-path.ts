/**
 * Has git pass over a folder of a checkout, by the list that is nobody's work: `info/exclude`. A line is
 * added at its end, and nothing of it is taken away.
 */

import { constants } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../place.ts'
import { ignorePattern } from './ignore-pattern.ts'
import type { Repository } from './repository.ts'
import { isLink, readSmall, requireNoLink } from './small-file.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'

/** `path` is a folder, from the top of the checkout. */
export async function excludePath(
  { commonDir }: Pick<Repository, 'commonDir'>,
  path: string,
  files: WorktreeFiles = worktreeFiles,
): Promise<void> {
  const file = join(commonDir, 'info', 'exclude')
  await requireNoLink(files, commonDir, file)
  const line = `${ignorePattern(path)}/`
  const text = (await readSmall(files, file)) ?? ''
  if (text.split('\n').includes(line)) return
  await files.mkdir(join(commonDir, 'info'), { recursive: true })
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
  const handle = await files.open(file, flags, 0o644).catch((error: unknown) => {
    throw hasCode(error, 'ELOOP') ? isLink(file) : error
  })
  try {
    // Two at once may both add it, which does no harm.
    await handle.writeFile(`${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`)
  } finally {
    await handle.close()
  }
}
