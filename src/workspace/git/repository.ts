/**
 * A repository, found from a folder in it, without asking git: git would believe what lies in the
 * folder. What is found is only ever used with `runGit`, which runs nothing of it.
 *
 * An agent may have made it. So it is all in one place: no part of it that git or we use is a link, and a
 * `.git` that leads elsewhere is believed only if what it leads to leads back.
 */

import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { type RunGit, runGit } from './run-git.ts'
import { GitError } from './run-program.ts'
import { readSmall, requireNoLink } from './small-file.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'

export interface Repository {
  /** What all worktrees share. */
  readonly commonDir: string
  /** Of the checkout that it was found from. */
  readonly gitDir: string
  /** The checkout that it was found from. A bare repository has none. */
  readonly checkout: string | undefined
  /** Where paths of worktrees start from: the main checkout, or the bare repository itself. */
  readonly home: string
  /** `repo` in path templates. */
  readonly name: string
  readonly objectFormat: 'sha1' | 'sha256'
  /** The person's own list of what is ignored everywhere. */
  readonly ignoreFile?: string
}

export interface FindRepositoryOptions {
  readonly git?: RunGit
  readonly files?: WorktreeFiles
  /** Instead of the usual place, `~/.config/git/ignore`. */
  readonly ignoreFile?: string
}

export async function findRepository(
  folder: string,
  { git = runGit, files = worktreeFiles, ignoreFile }: FindRepositoryOptions = {},
): Promise<Repository> {
  const found = await lookUpwards(files, folder)
  if (found === undefined) throw none(folder)
  const { commonDir } = found
  await requireNoLinks(files, found)
  if (await isThere(files, join(commonDir, 'reftable'))) throw reftable(commonDir)
  const objectFormat = await formatOf(git, commonDir)
  const isMain = basename(commonDir) === '.git'
  const home = isMain ? dirname(commonDir) : commonDir
  return {
    commonDir,
    gitDir: found.gitDir,
    checkout: found.checkout,
    home,
    name: basename(home).replace(/\.git$/, ''),
    objectFormat,
    ignoreFile: ignoreFile ?? defaultIgnoreFile(),
  }
}

/** Where others may have put programs. */
export const projectFolders = ({ home, checkout }: Repository): readonly string[] =>
  checkout === undefined ? [home] : [home, checkout]

interface Found {
  readonly gitDir: string
  readonly commonDir: string
  readonly checkout: string | undefined
}

async function lookUpwards(files: WorktreeFiles, folder: string): Promise<Found | undefined> {
  let at = await files.realpath(resolve(folder)).catch(() => undefined)
  while (at !== undefined) {
    const found = await gitDirIn(files, at)
    if (found !== undefined) return { ...found, checkout: at }
    if (await isGitDir(files, at)) {
      await requireNoOther(files, at)
      return { gitDir: at, commonDir: at, checkout: undefined }
    }
    const above: string = dirname(at)
    at = above === at ? undefined : above
  }
  return undefined
}

type GitDirs = Pick<Found, 'gitDir' | 'commonDir'>

async function gitDirIn(files: WorktreeFiles, folder: string): Promise<GitDirs | undefined> {
  const own = join(folder, '.git')
  const seen = await files.lstat(own).catch(() => undefined)
  if (seen === undefined) return undefined
  if (seen.isSymbolicLink()) throw strange(own, 'is a symbolic link')
  if (seen.isFile()) return linkedTo(files, own)
  await requireNoOther(files, own)
  if (await isGitDir(files, own)) return { gitDir: own, commonDir: own }
  throw leadsNowhere(own)
}

/** `.git` of a linked worktree is a file with one line, and `gitdir` of what it names has the way back. */
async function linkedTo(files: WorktreeFiles, own: string): Promise<GitDirs> {
  const target = /^gitdir: ([^\n]+)\n?$/.exec((await readSmall(files, own)) ?? '')?.[1]
  const gitDir =
    target === undefined
      ? undefined
      : await files.realpath(resolve(dirname(own), target)).catch(() => undefined)
  if (gitDir === undefined || !(await isThere(files, join(gitDir, 'HEAD')))) throw leadsNowhere(own)
  const commonDir = dirname(dirname(gitDir))
  const [back, common] = await Promise.all(
    ['gitdir', 'commondir'].map((name) => namedIn(files, gitDir, name)),
  )
  const isWorktree = basename(dirname(gitDir)) === 'worktrees' && common === commonDir
  if (isWorktree && back === own && (await isGitDir(files, commonDir))) return { gitDir, commonDir }
  const isModule = gitDir.includes('/.git/modules/')
  throw strange(own, isModule ? submodule : `leads to ${gitDir}, which does not lead back`)
}

/** git would follow it, and only makes it for linked worktrees. */
async function requireNoOther(files: WorktreeFiles, gitDir: string): Promise<void> {
  const other = join(gitDir, 'commondir')
  if (await isThere(files, other)) throw strange(other, 'leads to another repository')
}

const submodule = 'is that of a submodule'

/** What a small file of a git directory names, from there. */
async function namedIn(
  files: WorktreeFiles,
  gitDir: string,
  name: string,
): Promise<string | undefined> {
  const text = (await readSmall(files, join(gitDir, name)))?.trimEnd()
  if (text === undefined) return undefined
  const path = resolve(gitDir, text)
  const folder = await files.realpath(dirname(path)).catch(() => undefined)
  return folder === undefined ? undefined : join(folder, basename(path))
}

async function isGitDir(files: WorktreeFiles, folder: string): Promise<boolean> {
  const has = (name: string): Promise<boolean> => isThere(files, join(folder, name))
  return (await has('HEAD')) && (await has('objects')) && (await has('refs'))
}

/** What git reads or writes at the top of a repository. */
const parts =
  'HEAD config config.worktree index info logs loopwright objects objects/info packed-refs refs refs/heads refs/loopwright shallow worktrees'.split(
    ' ',
  )

async function requireNoLinks(files: WorktreeFiles, found: GitDirs): Promise<void> {
  const { commonDir, gitDir } = found
  const all = [...parts.map((part) => join(commonDir, part)), ...ownParts(gitDir)]
  for (const path of all) await requireNoLink(files, commonDir, path)
}

const ownParts = (gitDir: string): readonly string[] =>
  ['HEAD', 'config.worktree', 'index', 'logs'].map((part) => join(gitDir, part))

const isThere = async (files: WorktreeFiles, path: string): Promise<boolean> =>
  (await files.lstat(path).catch(() => undefined)) !== undefined

async function formatOf(git: RunGit, commonDir: string): Promise<Repository['objectFormat']> {
  try {
    const { stdout } = await git({
      at: { gitDir: commonDir },
      command: 'rev-parse',
      options: ['--show-object-format'],
    })
    return stdout.toString('utf8').trim() === 'sha256' ? 'sha256' : 'sha1'
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const advice = 'Repair it, or give the path of another folder.'
    const message = `git cannot use the repository ${commonDir}. ${advice} ${error.message}`
    throw new LoopError('workspace-failed', message, { cause: error })
  }
}

function defaultIgnoreFile(): string {
  const config = process.env['XDG_CONFIG_HOME']
  return join(
    config !== undefined && isAbsolute(config) ? config : join(homedir(), '.config'),
    'git',
    'ignore',
  )
}

function strange(own: string, what: string): LoopError {
  const advice = 'Give the path of the repository itself, or work in the folder itself.'
  return new LoopError('workspace-failed', `${own} ${what}. ${advice}`)
}

function leadsNowhere(own: string): LoopError {
  const advice = 'Repair it (git worktree repair), or give the path of another folder.'
  return new LoopError('workspace-failed', `${own} leads to no repository. ${advice}`)
}

function reftable(commonDir: string): LoopError {
  const advice = 'Migrate it (git refs migrate --ref-format=files), or work in the folder itself.'
  const message = `${commonDir} keeps its refs in the reftable format, which is not supported yet.`
  return new LoopError('not-available', `${message} ${advice}`)
}

function none(folder: string): LoopError {
  const advice = 'Run git init in it and make a commit, or work in the folder itself.'
  return new LoopError('workspace-failed', `${folder} is in no git repository. ${advice}`)
}
