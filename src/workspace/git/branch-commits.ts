/** Lists the commits of a branch that another does not have, with their changes. Runs no code of the repository. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createRecentMap } from '../../system/recent-map.ts'
import { fromBuffer, toDisplay } from '../bytes.ts'
import { unquote } from './patch/quoted-path.ts'
import { isObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import { type RunGit, runGit } from './run-git.ts'

export interface BranchCommit {
  readonly commit: string
  readonly message: string
  readonly author: string
  readonly atMs: number
  readonly files: readonly {
    readonly path: string
    readonly added: number
    readonly removed: number
  }[]
}

const outputBytesMax = 8 * 1024 * 1024

export interface CommitRange {
  readonly head: string
  /** Without its commits. */
  readonly base?: string
  /** Without commits that are older. */
  readonly sinceMs?: number
  readonly max: number
}

/**
 * The commits below a commit never change, so what was read last is known without a process. Only a shallow clone may get
 * more of them.
 */
const known = createRecentMap<string, readonly BranchCommit[]>(16)
const knownBytesMax = 256 * 1024

/** Newest first. Empty if they cannot be read. */
export async function listBranchCommits(
  repository: Pick<Repository, 'commonDir'>,
  range: CommitRange,
  git: RunGit = runGit,
): Promise<readonly BranchCommit[]> {
  const { base, head, sinceMs, max } = range
  // A branch may move on.
  const isFixed = sinceMs === undefined && [head, base ?? head].every(isObjectId)
  if (!isFixed) return (await readLog(repository, range, git)).commits
  const { commonDir } = repository
  const key = JSON.stringify([commonDir, shallowState(commonDir), head, base, max])
  const before = known.get(key)
  if (before !== undefined) return before
  const { commits, bytes } = await readLog(repository, range, git)
  if (bytes > 0 && bytes <= knownBytesMax) known.set(key, commits)
  return commits
}

function shallowState(commonDir: string): readonly number[] {
  const found = statSync(join(commonDir, 'shallow'), { throwIfNoEntry: false })
  return found === undefined ? [] : [found.size, found.mtimeMs, found.ctimeMs]
}

interface Log {
  readonly commits: readonly BranchCommit[]
  /** 0: they could not be read. */
  readonly bytes: number
}

async function readLog(
  { commonDir }: Pick<Repository, 'commonDir'>,
  { base, head, sinceMs, max }: CommitRange,
  git: RunGit,
): Promise<Log> {
  const { exitCode, stdout } = await git({
    at: { gitDir: commonDir },
    command: 'log',
    options: [
      '--format=format:%x01%H%x02%an <%ae>%x02%ct%x02%B%x03',
      `--max-count=${max}`,
      ...(sinceMs === undefined ? [] : [`--max-age=${Math.floor(sinceMs / 1000)}`]),
      '--diff-merges=off',
      '--numstat',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--no-show-signature',
      '--no-notes',
    ],
    operands: [head, ...(base === undefined ? [] : [`^${base}`])],
    answers: [0, 128],
    outputBytesMax,
  })
  if (exitCode !== 0) return { commits: [], bytes: 0 }
  const commits = fromBuffer(stdout)
    .split('\u0001')
    // A message may contain this character: the rest of the message is dropped then.
    .flatMap((record) => (/^[0-9a-f]{40,64}$/.test(readId(record)) ? [parse(record)] : []))
  return { commits, bytes: stdout.length }
}

const readId = (record: string): string => record.split('\u0002', 1)[0] ?? ''

function parse(record: string): BranchCommit {
  const [commit = '', author = '', seconds = '', ...rest] = record.split('\u0002')
  const [message = '', ...lines] = rest.join('\u0002').split('\u0003')
  return {
    commit,
    author: toDisplay(author),
    atMs: Number(seconds) * 1000,
    message: toDisplay(message.trim()),
    files: lines
      .join('')
      .split('\n')
      .flatMap((line) => {
        const [added = '', removed = '', ...path] = line.split('\t')
        if (path.length === 0) return []
        // Binary files have no lines.
        const count = (text: string): number => (text === '-' ? 0 : Number(text))
        const shown = toDisplay(unquote(path.join('\t')))
        return [{ path: shown, added: count(added), removed: count(removed) }]
      }),
  }
}
