/**
 * Reads, creates, moves and deletes refs of a repository. A ref is only moved from a known value, so that no
 * commit is lost.
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

/** git knows this object even if the repository does not have it. */
export const emptyTree = ({ objectFormat }: Pick<Repository, 'objectFormat'>): ObjectId =>
  objectFormat === 'sha1'
    ? '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
    : '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'

export const branchRef = (branch: string): string => `refs/heads/${branch}`

/** The ref that protects all snapshots of a worktree from garbage collection. */
export const snapshotsRef = (key: string): string => `refs/loopwright/${key}`

/** Undefined if there is no such commit. */
export async function resolveCommit(
  git: RunGit,
  { commonDir }: Repository,
  name: string,
  gitDir: string = commonDir,
): Promise<ObjectId | undefined> {
  const [id] = await resolveObjects(git, gitDir, [`${name}^{commit}`])
  return id
}

/** By any names that git accepts. Undefined for each object that does not exist. */
export async function resolveObjects(
  git: RunGit,
  gitDir: string,
  names: readonly string[],
): Promise<readonly (ObjectId | undefined)[]> {
  // Each name is a line.
  const isName = (name: string): boolean => !/[\n\0]/.test(name)
  const asked = names.filter(isName)
  if (asked.length === 0) return names.map(() => undefined)
  const { stdout } = await git({
    at: { gitDir },
    command: 'cat-file',
    options: ['--batch-check'],
    input: Buffer.from(asked.map((name) => `${name}\n`).join(''), 'utf8'),
    answers: [0, 128],
  })
  const lines = stdout.toString('utf8').split('\n').values()
  return names.map((name) => {
    const found = isName(name) ? (lines.next().value ?? '') : ''
    const [, id] = /^([0-9a-f]+) (?:commit|tree|blob|tag) \d+$/.exec(found) ?? []
    return id !== undefined && isObjectId(id) ? id : undefined
  })
}

/** The id that a ref points to, even if the object is missing. */
export async function readRefId(
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
  /** Undefined: delete the ref. */
  readonly to: ObjectId | undefined
  /** Undefined: the ref must not exist. */
  readonly from: ObjectId | undefined
  /** For the reflog of a branch of the user. It costs a process. */
  readonly reason?: string
}

const triesMax = 4

/**
 * False if the ref did not have the value `from`; nothing was changed then. If it is unknown whether git changed it, its
 * value decides. A new ref can be that of another process, so it counts as theirs.
 */
export async function changeRef(
  git: RunGit,
  repository: Repository,
  change: RefChange,
): Promise<boolean> {
  const none = noObject(repository)
  const from = change.from ?? none
  // Another ref that this one names as its target stays as it is.
  const line =
    change.to === undefined
      ? `option no-deref\0delete ${change.ref}\0${from}\0`
      : `option no-deref\0update ${change.ref}\0${change.to}\0${from}\0`
  for (let tries = 1; ; tries += 1) {
    try {
      await git({
        at: { gitDir: repository.commonDir },
        command: 'update-ref',
        options: ['-m', change.reason ?? 'loopwright', '-z', '--stdin'],
        input: Buffer.from(line, 'utf8'),
      })
      return true
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      const isOurs = await removeStaleLock(error.stderr, repository.commonDir, [change.ref])
      if (isOurs && tries < triesMax) continue
      const current = (await readRefId(git, repository, change.ref)) ?? none
      const isUncertain = error.why !== 'refused'
      if (isUncertain && current === (change.to ?? none) && from !== none) return true
      if (current !== from) return false
      if (error.why === 'lost' && tries < triesMax) continue
      throw refused(change.ref, error)
    }
  }
}

function refused(ref: string, cause: GitError): LoopError {
  const advice = /nonexistent object|missing object/.test(cause.stderr)
    ? 'A garbage collection (git gc --prune) deleted new objects: resume when it has ended.'
    : /\.lock'/.test(cause.stderr)
      ? 'If no git is running there, remove that lock file, then resume.'
      : 'A branch whose name is a prefix of this one exists, or git cannot write there: rename the branch, or use another prefix.'
  const message = `Could not change the ref ${ref}: ${cause.message}. ${advice}`
  return new LoopError('workspace-failed', message, { cause })
}
