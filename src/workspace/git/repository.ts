/**
 * A repository, found from a folder in it, without asking git: git would believe what lies in the
 * folder. What is found is only ever used with `runGit`, which runs nothing of it.
 */

import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { type RunGit, runGit } from './run-git.ts'
import { GitError } from './run-program.ts'
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
  const commonDir = await commonDirOf(files, found.gitDir)
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
  readonly checkout: string | undefined
}

async function lookUpwards(files: WorktreeFiles, folder: string): Promise<Found | undefined> {
  let at = await files.realpath(resolve(folder)).catch(() => undefined)
  while (at !== undefined) {
    const gitDir = await gitDirIn(files, at)
    if (gitDir !== undefined) return { gitDir, checkout: at }
    if (await isGitDir(files, at)) return { gitDir: at, checkout: undefined }
    const above: string = dirname(at)
    at = above === at ? undefined : above
  }
  return undefined
}

async function gitDirIn(files: WorktreeFiles, folder: string): Promise<string | undefined> {
  const own = join(folder, '.git')
  const seen = await files.lstat(own).catch(() => undefined)
  if (seen === undefined) return undefined
  const target = seen.isFile() ? await pointedAt(files, own) : own
  const real = await files.realpath(target ?? own).catch(() => undefined)
  if (real !== undefined && target !== undefined && (await isGitDir(files, real))) return real
  const advice = 'Repair it (git worktree repair), or give the path of another folder.'
  throw new LoopError('workspace-failed', `${own} leads to no repository. ${advice}`)
}

/** `.git` of a linked worktree is a file with one line. */
async function pointedAt(files: WorktreeFiles, file: string): Promise<string | undefined> {
  const text = await files.readFile(file, 'utf8').catch(() => '')
  const target = /^gitdir: ([^\n]+)\n?$/.exec(text)?.[1]
  return target === undefined ? undefined : resolve(dirname(file), target)
}

async function isGitDir(files: WorktreeFiles, folder: string): Promise<boolean> {
  const has = (name: string): Promise<boolean> => isThere(files, join(folder, name))
  if (!(await has('HEAD'))) return false
  return (await has('commondir')) || ((await has('objects')) && (await has('refs')))
}

const isThere = async (files: WorktreeFiles, path: string): Promise<boolean> =>
  (await files.lstat(path).catch(() => undefined)) !== undefined

async function commonDirOf(files: WorktreeFiles, gitDir: string): Promise<string> {
  const text = await files.readFile(join(gitDir, 'commondir'), 'utf8').catch(() => undefined)
  if (text === undefined) return gitDir
  const target = text.trimEnd()
  return files.realpath(isAbsolute(target) ? target : join(gitDir, target))
}

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

function reftable(commonDir: string): LoopError {
  const advice = 'Migrate it (git refs migrate --ref-format=files), or work in the folder itself.'
  const message = `${commonDir} keeps its refs in the reftable format, which is not supported yet.`
  return new LoopError('not-available', `${message} ${advice}`)
}

function none(folder: string): LoopError {
  const advice = 'Run git init in it and make a commit, or work in the folder itself.'
  return new LoopError('workspace-failed', `${folder} is in no git repository. ${advice}`)
}
