import type { ObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'

/** Whether a commit is in the history of another, or is the same. False if one of them is missing. */
export async function isAncestor(
  git: RunGit,
  { commonDir }: Pick<Repository, 'commonDir'>,
  earlier: ObjectId,
  later: ObjectId,
): Promise<boolean> {
  const { exitCode } = await git({
    at: { gitDir: commonDir },
    command: 'merge-base',
    options: ['--is-ancestor'],
    operands: [earlier, later],
    answers: [0, 1, 128],
  })
  return exitCode === 0
}
