/**
 * What lies in a worktree and is in no commit of it, although the rules that it began with ignored
 * nothing of it: an agent wrote new rules, or used a name that git keeps for itself. Checks see such
 * files, and whoever has only the commits does not. Only looked at, also while a run is at work.
 *
 * It costs one more look of git at names, none at content, and enters no folder that is ignored.
 */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Bytes, fromText, show } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { adminDir, checkWorktree } from './check-worktree.ts'
import { ignorePattern } from './ignore-pattern.ts'
import { ignoredOf, type Looked, split, walkNested } from './list-changes.ts'
import type { KnownWorktree } from './open-work-tree.ts'
import { makeOwnDirectory, type OwnDirectory } from './own-directory.ts'
import type { Repository } from './repository.ts'
import { isReserved } from './reserved-names.ts'
import { type GitPlace, runGit } from './run-git.ts'
import { isOutside, treeTimeoutMs } from './work-tree.ts'
import { worktreeFiles } from './worktree-files.ts'

/** In order, folders with a slash at the end; none where the worktree is gone. */
export async function leftOut(
  repository: Repository,
  worktree: KnownWorktree,
): Promise<readonly string[]> {
  const { id, path, carried, exclude = [], base } = worktree
  const status = await checkWorktree(worktreeFiles, repository, worktree).catch(() => 'not-ours')
  if (status !== 'there') return []
  const apart = [...carried, ...exclude]
  const admin = adminDir(repository, id)
  const own = await makeOwnDirectory(worktreeFiles, {
    repository,
    path: join(admin, 'loopwright-look'),
    exact: true,
    excludes: apart.map((one) => fromText(ignorePattern(one))),
  })
  const exclusions = createExclusions(apart)
  const tree: Looked = { root: fromText(path), files: worktreeFiles, git: runGit, exclusions }
  const at = own.at(path, join(admin, 'index'))
  const { ignored, unnamed } = await outsideCommits(tree, at)
  // A folder in which every file is ignored for itself is listed with its files: they decide.
  const single = ignored.filter(
    (one, index) => !one.endsWith('/') || ignored[index + 1]?.startsWith(one) !== true,
  )
  const candidates = single.filter((one) => !isOutside(exclusions, one.replace(/\/$/, '')))
  const known =
    candidates.length === 0 ? new Set() : await ignoredAtFirst(tree, own, base.commit, candidates)
  const found = [...candidates.filter((one) => !known.has(one)), ...unnamed]
  const folders = new Set(ignored.filter((one) => one.endsWith('/')))
  return [...new Set(found.map((one) => topOf(one, folders)))].map((one) => show(one)).toSorted()
}

/** The highest of these folders that it is in. */
function topOf(path: Bytes, folders: ReadonlySet<Bytes>): Bytes {
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    const folder = path.slice(0, end + 1)
    if (folders.has(folder)) return folder
  }
  return path
}

interface Outside {
  /** By the rules of now; sorted, so that what is in a folder comes right after it. */
  readonly ignored: readonly Bytes[]
  /** Under names that are in no tree. */
  readonly unnamed: readonly Bytes[]
}

async function outsideCommits(tree: Looked, at: GitPlace): Promise<Outside> {
  const list = async (...more: readonly string[]): Promise<readonly Bytes[]> => {
    const options = ['-z', '--others', '--exclude-standard', ...more]
    return split((await tree.git({ at, command: 'ls-files', options, ...bounds })).stdout)
  }
  const [ignored, others] = await Promise.all([list('--ignored', '--directory'), list()])
  const inNested: Bytes[] = []
  for (const folder of others.filter((path) => path.endsWith('/') && !isReserved(path))) {
    inNested.push(...(await walkNested(tree, at, folder.slice(0, -1))).ignored)
  }
  const unnamed = others.filter((path) => isReserved(path))
  return { ignored: [...new Set([...ignored, ...inNested])].toSorted(), unnamed }
}

const bounds = { timeoutMs: treeTimeoutMs, outputBytesMax: 256 * 1024 * 1024 }

/** Asked where there is nothing but the rules of the commit that it began with. */
async function ignoredAtFirst(
  tree: Looked,
  own: OwnDirectory,
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
    await git({ at, command: 'read-tree', operands: [commit], ...bounds })
    const { stdout } = await git({
      at,
      command: 'ls-files',
      options: ['-z', '--cached'],
      operands: [':(glob)**/.gitignore'],
      isLiteral: false,
    })
    const options = ['-z', '--stdin', '--force', '--quiet']
    await git({ at, command: 'checkout-index', options, input: stdout, answers: [0, 1] })
    // Whether it is a folder cannot be seen there; what is in an ignored one is ignored.
    const asked = new Map(paths.map((path) => [path.replace(/\/?$/, '/anything'), path]))
    const known = await ignoredOf({ git }, at, [...asked.keys()])
    return new Set([...known].flatMap((path) => asked.get(path) ?? []))
  } finally {
    await files.rm(folder, { recursive: true, force: true })
    for (const left of [index, `${index}.lock`]) await files.rm(left, { force: true })
  }
}
