/** What a run changed, in the format of the legacy review: commits, and files with their patches. */

import { type RunRow, readCreated } from '../engine/index.ts'
import { LoopError, type RunWorktree } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { repositoryOf } from '../runs/place-run.ts'
import {
  type BranchCommit,
  listBranchCommits,
  openGitTrees,
  type Repository,
  splitPatch,
} from '../workspace/index.ts'
import { diffRun } from './diff-run.ts'

export type DiffHost = Pick<HostPorts, 'folder' | 'journal' | 'blobs'>

export interface ReviewDiff {
  /** The base and the head of the branch: commits, or trees for a run without a branch. */
  readonly baseRef: string
  readonly headRef: string
  readonly commits: readonly ReviewCommit[]
  readonly files: readonly ReviewFile[]
  readonly stats: ReviewStats
  /** Patches were left out because together they are too long. */
  readonly isCut: boolean
}

export interface ReviewCommit {
  readonly sha: string
  readonly message: string
  readonly author: string
  readonly timestampMs: number
  readonly files: readonly string[]
  readonly stats: ReviewStats
}

export interface ReviewFile {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
  readonly oldPath?: string
  readonly patch?: string
  readonly additions: number
  readonly deletions: number
}

export interface ReviewStats {
  readonly filesChanged: number
  readonly additions: number
  readonly deletions: number
}

/** Of all patches together. */
const patchBytesMax = 40 * 1024 * 1024
const commitsMax = 1000

/** The changes of a run for a review: commits, files and numbers. */
export async function reviewDiff(host: DiffHost, idOrName: string): Promise<ReviewDiff> {
  const run = await host.journal.findRun(idOrName)
  const { worktree } = await readCreated(host.journal, run.id)
  return worktree === undefined
    ? compareTrees(host, run)
    : compareBranch(await repositoryOf(worktree), worktree)
}

async function compareBranch(
  repository: Repository,
  { branch, base }: RunWorktree,
): Promise<ReviewDiff> {
  const trees = openGitTrees(repository)
  const head = `refs/heads/${branch}`
  const [before, after] = await Promise.all([
    trees.resolveTree(base.commit),
    trees.resolveTree(head),
  ])
  if (before === undefined || after === undefined) {
    const message = `The branch ${branch} no longer exists. Read its changes in review-diff.json of the run's folder.`
    throw new LoopError('unknown-artifact', message)
  }
  const found = await listBranchCommits(repository, { base: base.commit, head, max: commitsMax })
  return {
    baseRef: base.commit,
    headRef: found[0]?.commit ?? base.commit,
    commits: found.map(toCommit),
    ...toFiles(await trees.patch(before, after, patchBytesMax)),
  }
}

/** A run without a branch has made no commits. */
async function compareTrees(host: DiffHost, run: RunRow): Promise<ReviewDiff> {
  const { before, after, patch = '' } = await diffRun(host, run.id)
  return { baseRef: before, headRef: after, commits: [], ...toFiles(patch) }
}

function toFiles(patch: string): Pick<ReviewDiff, 'files' | 'stats' | 'isCut'> {
  const files = splitPatch(patch).map(
    ({ added, removed, ...file }): ReviewFile => ({
      ...file,
      additions: added,
      deletions: removed,
    }),
  )
  const isCut = /\n\[\d+ more bytes\]\n$/.test(patch.slice(-100))
  return { files, stats: countChanges(files), isCut }
}

const toCommit = ({ commit, message, author, atMs, files }: BranchCommit): ReviewCommit => ({
  sha: commit,
  message,
  author,
  timestampMs: atMs,
  files: files.map(({ path }) => path),
  stats: countChanges(
    files.map(({ added, removed }) => ({ additions: added, deletions: removed })),
  ),
})

const countChanges = (
  files: readonly { readonly additions: number; readonly deletions: number }[],
): ReviewStats => ({
  filesChanged: files.length,
  additions: files.reduce((sum, { additions }) => sum + additions, 0),
  deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
})
