/**
 * Finds files in a worktree that are in no commit although the ignore rules of the base did not ignore them: an
 * agent added rules, or used a name that git reserves. Checks see such files, but a clone of the commits does not
 * have them. Only reads, so it can run while a run works.
 *
 * Costs one more listing by git, reads no content, and enters no ignored folder.
 */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Bytes, fromText, toDisplay } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { adminDir, checkWorktree } from '../worktree/check-worktree.ts'
import type { KnownWorktree } from '../worktree/open-work-tree.ts'
import { isOutside, treeTimeoutMs } from '../worktree/work-tree.ts'
import { worktreeFiles } from '../worktree/worktree-files.ts'
import { ignorePattern } from './ignore-pattern.ts'
import { filterIgnored, type ListableTree, splitNul, walkNested } from './list-changes.ts'
import { createPrivateGitDir, type PrivateGitDir } from './private-git-dir.ts'
import type { Repository } from './repository.ts'
import { isReserved } from './reserved-names.ts'
import { type GitLocation, runGit } from './run-git.ts'

/** Caches that a tool excludes itself, so that each run of a check would be reported. */
const ownCache = /(?:^|\/)\.(?:pytest|mypy|ruff)_cache\//

/** Sorted; folders end in a slash. Empty if the worktree does not exist. */
export async function findNewlyIgnored(
  repository: Repository,
  worktree: KnownWorktree,
): Promise<readonly string[]> {
  const { id, path, carried, exclude = [], base } = worktree
  const status = await checkWorktree(worktreeFiles, repository, worktree).catch(() => 'not-ours')
  if (status !== 'there') return []
  const excludedPaths = [...carried, ...exclude]
  const admin = adminDir(repository, id)
  const own = await createPrivateGitDir(worktreeFiles, {
    repository,
    path: join(admin, 'loopwright-look'),
    exact: true,
    excludes: excludedPaths.map((one) => fromText(ignorePattern(one))),
  })
  const exclusions = createExclusions(excludedPaths)
  const tree: ListableTree = { root: fromText(path), files: worktreeFiles, git: runGit, exclusions }
  const at = own.at(path, join(admin, 'index'))
  const { ignored, reserved } = await listUncommittedPaths(tree, at)
  // A folder whose files are all ignored individually is listed with its files: use only the files.
  const single = ignored.filter(
    (one, index) => !one.endsWith('/') || ignored[index + 1]?.startsWith(one) !== true,
  )
  const candidates = single.filter(
    (one) => !ownCache.test(one) && !isOutside(exclusions, one.replace(/\/$/, '')),
  )
  const known =
    candidates.length === 0 ? new Set() : await ignoredByBase(tree, own, base.commit, candidates)
  const found = [...candidates.filter((one) => !known.has(one)), ...reserved]
  const folders = new Set(ignored.filter((one) => one.endsWith('/')))
  return [...new Set(found.map((one) => findTopFolder(one, folders)))]
    .map((one) => toDisplay(one))
    .toSorted()
}

/** The topmost of these folders that contains the path. */
function findTopFolder(path: Bytes, folders: ReadonlySet<Bytes>): Bytes {
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    const folder = path.slice(0, end + 1)
    if (folders.has(folder)) return folder
  }
  return path
}

interface UncommittedPaths {
  /** By the current rules; sorted, so that the content of a folder follows it. */
  readonly ignored: readonly Bytes[]
  /** With names that git allows in no tree. */
  readonly reserved: readonly Bytes[]
}

async function listUncommittedPaths(
  tree: ListableTree,
  at: GitLocation,
): Promise<UncommittedPaths> {
  const list = async (...more: readonly string[]): Promise<readonly Bytes[]> => {
    const options = ['-z', '--others', '--exclude-standard', ...more]
    return splitNul((await tree.git({ at, command: 'ls-files', options, ...limits })).stdout)
  }
  const [ignored, others] = await Promise.all([list('--ignored', '--directory'), list()])
  const inNested: Bytes[] = []
  for (const folder of others.filter((path) => path.endsWith('/') && !isReserved(path))) {
    inNested.push(...(await walkNested(tree, at, folder.slice(0, -1))).ignored)
  }
  const reserved = others.filter((path) => isReserved(path))
  return { ignored: [...new Set([...ignored, ...inNested])].toSorted(), reserved }
}

const limits = { timeoutMs: treeTimeoutMs, outputBytesMax: 256 * 1024 * 1024 }

/** Checks the paths in a folder that contains only the ignore rules of the base commit. */
async function ignoredByBase(
  tree: ListableTree,
  own: PrivateGitDir,
  commit: string,
  paths: readonly Bytes[],
): Promise<ReadonlySet<Bytes>> {
  const { files, git } = tree
  const name = randomUUID()
  const folder = join(own.path, `rules.${name}`)
  const index = join(own.path, `index.${name}`)
  const at = own.at(folder, index)
  try {
    await files.mkdir(folder)
    await git({ at, command: 'read-tree', operands: [commit], ...limits })
    const { stdout } = await git({
      at,
      command: 'ls-files',
      options: ['-z', '--cached'],
      operands: [':(glob)**/.gitignore'],
      isLiteral: false,
    })
    const options = ['-z', '--stdin', '--force', '--quiet']
    await git({ at, command: 'checkout-index', options, input: stdout, answers: [0, 1] })
    // The paths do not exist there, so ask for a file inside: it is ignored if the folder is.
    const queries = new Map(paths.map((path) => [path.replace(/\/?$/, '/anything'), path]))
    const known = await filterIgnored({ git }, at, [...queries.keys()])
    return new Set([...known].flatMap((path) => queries.get(path) ?? []))
  } finally {
    await files.rm(folder, { recursive: true, force: true })
    for (const left of [index, `${index}.lock`]) await files.rm(left, { force: true })
  }
}
