/**
 * A separate git directory for a checkout, so that checks can call git. It uses the objects of the real
 * repository without registering there, and has none of its settings or hooks.
 */

import { lstatSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { writeCommitWithoutGit } from '../git/commit-tree.ts'
import { configFor, noConversion } from '../git/private-git-dir.ts'
import { isObjectId, type ObjectId } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { readBelow } from '../git/small-file.ts'
import { identityOf } from '../stat-cache.ts'
import { worktreeFiles } from '../worktree/worktree-files.ts'
import { listRefs } from './list-refs.ts'

export interface CheckoutGit {
  readonly repository: Repository
  /** The commit of HEAD; absent: a new commit of the tree, which exists only in the checkout. */
  readonly commit?: string
}

export interface MakeGitOptions extends CheckoutGit {
  readonly path: string
  readonly tree: ObjectId
  readonly indexFile: string | undefined
  readonly git?: RunGit
}

/** The maximum number of repositories in a chain of alternates. */
const alternatesMax = 16

/**
 * The object folders, which must be visible to processes that use git in the checkout. A repository may name any folder of
 * this machine, so one that contains anything but objects is left out.
 */
export async function objectFolders({ commonDir }: Repository): Promise<readonly string[]> {
  const folders = [join(commonDir, 'objects')]
  for (const folder of folders) {
    if (folders.length > alternatesMax) break
    const text = (await readBelow(worktreeFiles, folder, join(folder, 'info', 'alternates'))) ?? ''
    const named = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    for (const line of named) {
      const other = resolve(folder, line)
      if (!folders.includes(other) && isObjectFolder(other)) folders.push(other)
    }
  }
  return folders
}

/** The folder must not have a `.git` yet. */
export async function createCheckoutGit(options: MakeGitOptions): Promise<void> {
  const { repository, path, tree, indexFile, git = runGit } = options
  const gitDir = join(path, '.git')
  for (const folder of ['refs', 'objects/info', 'info']) {
    await mkdir(join(gitDir, folder), { recursive: true })
  }
  const write = (name: string, text: string): Promise<void> => writeFile(join(gitDir, name), text)
  await write('config', `${configFor(repository)}${minimalStat}`)
  await write('info/attributes', noConversion)
  await write('objects/info/alternates', `${join(repository.commonDir, 'objects')}\n`)
  await write('HEAD', 'ref: refs/heads/none\n')
  const { commonDir } = repository
  // Checks may compare with a branch or a tag.
  const [refs, shallow = ''] = await Promise.all([
    listRefs(git, worktreeFiles, repository),
    readBelow(worktreeFiles, commonDir, join(commonDir, 'shallow'), 'latin1'),
  ])
  if (refs !== '') await write('packed-refs', `# pack-refs with: peeled fully-peeled \n${refs}`)
  if (shallow !== '') await write('shallow', shallow)
  if (indexFile !== undefined) await copyIndex(indexFile, join(gitDir, 'index'))
  const head =
    options.commit ??
    (await writeCommitWithoutGit(
      { files: worktreeFiles, repository: { ...repository, commonDir: gitDir }, now: Date.now },
      { tree, parents: [], message: 'The files as they are\n' },
    ))
  if (isObjectId(head)) await write('HEAD', `${head}\n`)
}

/**
 * Owner and inode may differ in the sandbox. git would then open every file to compare it, and it would look as if
 * a check had read the file.
 */
const minimalStat = '[core]\n\tcheckStat = minimal\n\ttrustctime = false\n'

/** Makes the index newer than the files, because git opens files that are as new as its index. */
async function copyIndex(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const timeS = Date.now() / 1000 + 2
  await utimes(to, timeS, timeS)
}

/** Changes whenever a file of the git directory is touched. */
export function gitIdentity(path: string): string {
  const seen: string[] = []
  const folders = [join(path, '.git')]
  for (const folder of folders) {
    const stat = lstatSync(folder, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return 'none'
    seen.push(`${folder} ${stat.mode} ${identityOf(stat)}`)
    if (stat.isDirectory()) folders.push(...readdirSync(folder).map((name) => join(folder, name)))
  }
  return seen.toSorted().join('\n')
}

const objectNames = /^(?:[0-9a-f]{2}|pack|info|(?:tmp|incoming)[_-]\w+)$/

function isObjectFolder(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return false
  return readdirSync(path).every((name) => objectNames.test(name))
}
