/**
 * Refs of a repository: looked up, made, moved and removed. No ref is ever moved from a value that
 * was not seen before, so that nobody's commit is lost.
 */

import { LoopError } from '../../loop/index.ts'
import type { Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'
import { GitError } from './run-program.ts'
import { removeStaleLock } from './stale-locks.ts'

/** Of a commit, a tree or a blob, in hex. */
export type ObjectId = string

export const isObjectId = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

export const noObject = ({ objectFormat }: Repository): ObjectId =>
  '0'.repeat(objectFormat === 'sha1' ? 40 : 64)

/** git knows it without having it. */
export const emptyTree = ({ objectFormat }: Repository): ObjectId =>
  objectFormat === 'sha1'
    ? '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
    : '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'

export const branchRef = (branch: string): string => `refs/heads/${branch}`

/** What keeps all snapshots of a worktree from garbage collection. */
export const snapshotsRef = (key: string): string => `refs/loopwright/${key}`

/** Undefined when there is no such commit. */
export async function commitOf(
  git: RunGit,
  { commonDir }: Repository,
  name: string,
  gitDir: string = commonDir,
): Promise<ObjectId | undefined> {
  const { exitCode, stdout } = await git({
    at: { gitDir },
    command: 'rev-parse',
    options: ['--verify', '--quiet'],
    operands: [`${name}^{commit}`],
    answers: [0, 1, 128],
  })
  const id = stdout.toString('utf8').trim()
  return exitCode === 0 && isObjectId(id) ? id : undefined
}

/** What a ref names, whether that is there or not. */
export async function idOf(
  git: RunGit,
  { commonDir }: Repository,
  ref: string,
): Promise<ObjectId | undefined> {
  const { exitCode, stdout } = await git({
    at: { gitDir: commonDir },
    command: 'rev-parse',
    options: ['--verify', '--quiet'],
    operands: [ref],
    answers: [0, 1, 128],
  })
  const id = stdout.toString('utf8').trim()
  return exitCode === 0 && isObjectId(id) ? id : undefined
}

export interface RefChange {
  readonly ref: string
  /** Undefined removes it. */
  readonly to: ObjectId | undefined
  /** Undefined: it must not exist. */
  readonly from: ObjectId | undefined
  readonly reason: string
}

/** False when the ref was not what it should have been: nothing has changed then. */
export async function changeRef(
  git: RunGit,
  repository: Repository,
  change: RefChange,
): Promise<boolean> {
  const none = noObject(repository)
  const from = change.from ?? none
  const line =
    change.to === undefined
      ? `delete ${change.ref}\0${from}\0`
      : `update ${change.ref}\0${change.to}\0${from}\0`
  for (let tries = 1; ; tries += 1) {
    try {
      await git({
        at: { gitDir: repository.commonDir },
        command: 'update-ref',
        options: ['-m', change.reason, '-z', '--stdin'],
        input: Buffer.from(line, 'utf8'),
      })
      return true
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      const isOurs = await removeStaleLock(error.stderr, repository.commonDir, [change.ref])
      if (isOurs && tries < 4) continue
      const is = await idOf(git, repository, change.ref)
      if ((is ?? none) !== from) return false
      throw refused(change.ref, error)
    }
  }
}

function refused(ref: string, cause: GitError): LoopError {
  const advice = /nonexistent object|missing object/.test(cause.stderr)
    ? 'A garbage collection (git gc --prune) took what was being written: resume when it is over.'
    : /\.lock'/.test(cause.stderr)
      ? 'If no git is running there, remove that lock file, then resume.'
      : 'A branch whose name is a part of this one is in the way, or git may not write there: rename the branch, or choose another prefix.'
  const message = `The ref ${ref} could not be changed: ${cause.message}. ${advice}`
  return new LoopError('workspace-failed', message, { cause })
}
