/**
 * Makes git ignore a folder of a checkout, with `info/exclude`, which is not part of the project. Appends a
 * line, and removes none.
 */

import { constants } from 'node:fs'
import { join } from 'node:path'
import { ignorePattern } from '../git/ignore-pattern.ts'
import type { Repository } from '../git/repository.ts'
import { linkError, readSmall, requireNoLink } from '../git/small-file.ts'
import { hasCode } from '../workspace-directory.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'

/** `path` is a folder, relative to the top of the checkout. */
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
    throw hasCode(error, 'ELOOP') ? linkError(file) : error
  })
  try {
    // Two processes may both append it, which is harmless.
    await handle.writeFile(`${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`)
  } finally {
    await handle.close()
  }
}
