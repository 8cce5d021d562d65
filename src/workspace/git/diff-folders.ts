/** Compares two folders as a patch. Runs no code and applies no settings from them. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { patchBytesMax } from './compare-trees.ts'
import { runGit } from './run-git.ts'

/** Compares `a` and `b` in a private folder, in which it creates `git`. Truncated at `bytesMax`. */
export async function diffFolders(
  folder: string,
  bytesMax: number = patchBytesMax,
): Promise<string> {
  const gitDir = join(folder, 'git')
  for (const name of ['objects', 'refs', 'info']) {
    await mkdir(join(gitDir, name), { recursive: true })
  }
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n')
  await writeFile(join(gitDir, 'config'), '[core]\n\tbare = true\n')
  // Overrides the attributes files in the folders.
  await writeFile(join(gitDir, 'info', 'attributes'), '* !diff !text !eol\n')
  const { stdout } = await runGit({
    at: { gitDir },
    command: 'diff',
    options: [
      '--no-index',
      '--no-prefix',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--find-renames',
    ],
    operands: [join(folder, 'a'), join(folder, 'b')],
    answers: [0, 1],
    outputBytesMax: 256 * 1024 * 1024,
  })
  // git omits the leading slash of absolute paths.
  const text = stdout.toString('utf8', 0, bytesMax).replaceAll(`${folder.slice(1)}/`, '')
  const left = stdout.length - bytesMax
  return left <= 0 ? text : `${text}\n[${left} more bytes]\n`
}
