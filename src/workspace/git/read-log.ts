/** The newest commits of a branch, one line each. Runs no code of the repository. */

import { fromBuffer, toDisplay } from '../bytes.ts'
import type { GitLocation, RunGit } from './run-git.ts'

const outputBytesMax = 256 * 1024
const subjectCharsMax = 200

/** Empty if the history cannot be read. */
export async function readLog(
  git: RunGit,
  at: GitLocation,
  ref: string,
  max: number,
): Promise<string> {
  const { exitCode, stdout } = await git({
    at,
    command: 'log',
    options: [
      '-z',
      '--format=format:%h %s',
      '--first-parent',
      `--max-count=${max}`,
      '--no-color',
      '--no-show-signature',
      '--no-notes',
    ],
    operands: [ref],
    answers: [0, 128],
    outputBytesMax,
  })
  if (exitCode !== 0) return ''
  return fromBuffer(stdout)
    .split('\0')
    .map((line) => toDisplay(line).slice(0, subjectCharsMax))
    .join('\n')
}
