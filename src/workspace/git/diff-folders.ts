/** What differs between two folders of files, as a patch. Nothing that is in them is run or obeyed. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { patchBytesMax } from './compare-trees.ts'
import { runGit } from './run-git.ts'

/** Of `a` and `b` in a folder that nobody else has; another is made in it. Cut off at `bytesMax`. */
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
  // Files of others that say how they are to be compared are not asked.
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
  // git leaves out the slash that whole paths begin with.
  const text = stdout.toString('utf8', 0, bytesMax).replaceAll(`${folder.slice(1)}/`, '')
  const left = stdout.length - bytesMax
  return left <= 0 ? text : `${text}\n[${left} bytes more]\n`
}
