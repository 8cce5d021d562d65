/**
 * A repository of its own for a checkout, so that checks which call git work: its objects are those of the
 * real one, which learns nothing of it, and none of whose settings or hooks it has.
 */

import { lstatSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { writeCommitOf } from '../git/commit-tree.ts'
import { configFor, noConversion } from '../git/own-directory.ts'
import { isObjectId, type ObjectId } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { readBelow } from '../git/small-file.ts'
import { worktreeFiles } from '../git/worktree-files.ts'
import { identityOf } from '../stat-cache.ts'

export interface CheckoutGit {
  readonly repository: Repository
  /** What HEAD is; absent: a commit is made of the tree, which only the checkout has. */
  readonly commit?: string
}

export interface MakeGitOptions extends CheckoutGit {
  readonly path: string
  readonly tree: ObjectId
  readonly indexFile: string | undefined
  readonly git?: RunGit
}

/** Other repositories whose objects are used, one after the other. */
const alternatesMax = 16

/** Where the objects are: to be shown to whoever is to use git in the checkout. */
export async function objectFolders({ commonDir }: Repository): Promise<readonly string[]> {
  const folders = [join(commonDir, 'objects')]
  for (const folder of folders) {
    if (folders.length > alternatesMax) break
    const text = (await readBelow(worktreeFiles, folder, join(folder, 'info', 'alternates'))) ?? ''
    const named = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    for (const line of named) {
      const other = resolve(folder, line)
      if (!folders.includes(other) && isFolder(other)) folders.push(other)
    }
  }
  return folders
}

/** In a folder where no `.git` is. */
export async function makeCheckoutGit(options: MakeGitOptions): Promise<void> {
  const { repository, path, tree, indexFile, git = runGit } = options
  const gitDir = join(path, '.git')
  for (const folder of ['refs', 'objects/info', 'info']) {
    await mkdir(join(gitDir, folder), { recursive: true })
  }
  const write = (name: string, text: string): Promise<void> => writeFile(join(gitDir, name), text)
  await write('config', `${configFor(repository)}${comparesLittle}`)
  await write('info/attributes', noConversion)
  await write('objects/info/alternates', `${join(repository.commonDir, 'objects')}\n`)
  await write('HEAD', 'ref: refs/heads/none\n')
  const [refs, shallow] = await Promise.all([
    refsOf(git, repository),
    readFile(join(repository.commonDir, 'shallow'), 'latin1').catch(() => ''),
  ])
  if (refs !== '') await write('packed-refs', `# pack-refs with: peeled fully-peeled \n${refs}`)
  if (shallow !== '') await write('shallow', shallow)
  if (indexFile !== undefined) await copyIndex(indexFile, join(gitDir, 'index'))
  const head =
    options.commit ?? (await writeCommitOf(git, { gitDir }, tree, [], 'The files as they are\n'))
  if (isObjectId(head)) await write('HEAD', `${head}\n`)
}

/** Owner and inode may be others in the sandbox. Git would then open every file to compare it, as if a check read it. */
const comparesLittle = '[core]\n\tcheckStat = minimal\n\ttrustctime = false\n'

/** Newer than the files: git opens those that are as new as its index. */
async function copyIndex(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const soon = Date.now() / 1000 + 2
  await utimes(to, soon, soon)
}

/** Branches, tags and those of others, for checks that ask what changed since one of them. */
async function refsOf(git: RunGit, { commonDir }: Repository): Promise<string> {
  const { stdout } = await git({
    at: { gitDir: commonDir },
    command: 'for-each-ref',
    options: [
      '--format=%(objectname) %(refname)%(if)%(*objectname)%(then)%0a^%(*objectname)%(end)',
    ],
    operands: ['refs/heads', 'refs/remotes', 'refs/tags'],
    answers: [0, 1],
  })
  return stdout.toString('latin1')
}

/** The same as long as nobody touched it. */
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

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
