/** What a run starts from, when nobody says: the current branch, else what the remote, else `main`. */

import { LoopError } from '../../loop/index.ts'
import { commitOf, type ObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'

export interface Base {
  readonly name: string
  readonly commit: ObjectId
}

export async function findBase(
  git: RunGit,
  repository: Repository,
  wanted?: string,
): Promise<Base> {
  if (wanted !== undefined) {
    const commit = await commitOf(git, repository, wanted, repository.gitDir)
    if (commit !== undefined) return { name: wanted, commit }
    const message = `There is no commit ${JSON.stringify(wanted)} in ${repository.home}.`
    throw new LoopError('bad-request', `${message} Give a branch, a tag or a commit that exists.`)
  }
  const candidates = [
    () => targetOf(git, repository.gitDir, 'HEAD'),
    () => targetOf(git, repository.commonDir, 'refs/remotes/origin/HEAD'),
    async () => 'refs/heads/main',
    async () => 'refs/heads/master',
  ]
  for (const candidate of candidates) {
    const ref = await candidate()
    const commit = ref === undefined ? undefined : await commitOf(git, repository, ref)
    if (ref !== undefined && commit !== undefined) return { name: shortName(ref), commit }
  }
  // A detached checkout of a repository with no such branch.
  const commit = await commitOf(git, repository, 'HEAD', repository.gitDir)
  if (commit !== undefined) return { name: 'HEAD', commit }
  const message = `The repository ${repository.home} has no commit yet.`
  throw new LoopError('workspace-failed', `${message} Make one: git commit`)
}

/** The branch that a symbolic ref names. */
async function targetOf(git: RunGit, gitDir: string, ref: string): Promise<string | undefined> {
  const { exitCode, stdout } = await git({
    at: { gitDir },
    command: 'symbolic-ref',
    options: ['--quiet'],
    operands: [ref],
    answers: [0, 1, 128],
  })
  return exitCode === 0 ? stdout.toString('utf8').trimEnd() : undefined
}

const shortName = (ref: string): string => ref.replace(/^refs\/(heads|remotes)\//, '')
