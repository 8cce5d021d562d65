/**
 * Finds the repository of a folder without calling git, which would trust the content of the folder. The result
 * is only used with `runGit`, which runs no code of the repository.
 *
 * An agent may have created it. So no part of it that git or Loopwright uses may be a symlink, and a `.git` file
 * that points elsewhere is trusted only if the target points back.
 */

import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { identityOf } from '../stat-cache.ts'
import { type WorktreeFiles, worktreeFiles } from '../worktree/worktree-files.ts'
import { emptyTree } from './refs.ts'
import { type RunGit, runGit } from './run-git.ts'
import { GitError } from './run-program.ts'
import { readSmall, requireNoLink } from './small-file.ts'

export interface Repository {
  /** The git directory that all worktrees share. */
  readonly commonDir: string
  /** The git directory of the checkout it was found from. */
  readonly gitDir: string
  /** The checkout it was found from; undefined for a bare repository. */
  readonly checkout: string | undefined
  /** Worktree paths are relative to it: the main checkout, or the bare repository itself. */
  readonly home: string
  /** `repo` in path templates. */
  readonly name: string
  readonly objectFormat: 'sha1' | 'sha256'
  /** The user's global ignore file. */
  readonly ignoreFile?: string
}

export interface FindRepositoryOptions {
  readonly git?: RunGit
  readonly files?: WorktreeFiles
  /** Default: `~/.config/git/ignore`. */
  readonly ignoreFile?: string
}

export async function findRepository(
  folder: string,
  { git = runGit, files = worktreeFiles, ignoreFile }: FindRepositoryOptions = {},
): Promise<Repository> {
  const found = await searchUpwards(files, folder)
  if (found === undefined) throw none(folder)
  const { commonDir } = found
  await requireNoLinks(files, found)
  if (await exists(files, join(commonDir, 'reftable'))) throw reftable(commonDir)
  const objectFormat = await readKnownFormat(files, git, commonDir)
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

/** Folders in which an agent may have put programs. */
export const listProjectFolders = ({ home, checkout }: Repository): readonly string[] =>
  checkout === undefined ? [home] : [home, checkout]

interface FoundRepository {
  readonly gitDir: string
  readonly commonDir: string
  readonly checkout: string | undefined
}

async function searchUpwards(
  files: WorktreeFiles,
  folder: string,
): Promise<FoundRepository | undefined> {
  let at = await files.realpath(resolve(folder)).catch(() => undefined)
  while (at !== undefined) {
    const found = await findGitDir(files, at)
    if (found !== undefined) return { ...found, checkout: at }
    if (await isGitDir(files, at)) {
      await requireNoCommonDir(files, at)
      return { gitDir: at, commonDir: at, checkout: undefined }
    }
    const above: string = dirname(at)
    at = above === at ? undefined : above
  }
  return undefined
}

type GitDirs = Pick<FoundRepository, 'gitDir' | 'commonDir'>

async function findGitDir(files: WorktreeFiles, folder: string): Promise<GitDirs | undefined> {
  const own = join(folder, '.git')
  const seen = await files.lstat(own).catch(() => undefined)
  if (seen === undefined) return undefined
  if (seen.isSymbolicLink()) throw strange(own, 'is a symlink')
  if (seen.isFile()) return resolveGitFile(files, own)
  await requireNoCommonDir(files, own)
  if (await isGitDir(files, own)) return { gitDir: own, commonDir: own }
  throw noRepository(own)
}

/** The `.git` of a linked worktree is a file with one line, and `gitdir` in its target points back to it. */
async function resolveGitFile(files: WorktreeFiles, own: string): Promise<GitDirs> {
  const target = /^gitdir: ([^\n]+)\n?$/.exec((await readSmall(files, own)) ?? '')?.[1]
  const gitDir =
    target === undefined
      ? undefined
      : await files.realpath(resolve(dirname(own), target)).catch(() => undefined)
  if (gitDir === undefined || !(await exists(files, join(gitDir, 'HEAD')))) throw noRepository(own)
  const commonDir = dirname(dirname(gitDir))
  const [back, common] = await Promise.all(
    ['gitdir', 'commondir'].map((name) => readPointer(files, gitDir, name)),
  )
  const isWorktree = basename(dirname(gitDir)) === 'worktrees' && common === commonDir
  if (isWorktree && back === own && (await isGitDir(files, commonDir))) return { gitDir, commonDir }
  const isModule = gitDir.includes('/.git/modules/')
  throw strange(own, isModule ? submodule : `points to ${gitDir}, which does not point back`)
}

/** git would follow a `commondir`, which it creates only for linked worktrees. */
async function requireNoCommonDir(files: WorktreeFiles, gitDir: string): Promise<void> {
  const other = join(gitDir, 'commondir')
  if (await exists(files, other)) throw strange(other, 'points to another repository')
}

const submodule = 'belongs to a submodule'

/** The path in a small file of a git directory, resolved relative to it. */
async function readPointer(
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
  const has = (name: string): Promise<boolean> => exists(files, join(folder, name))
  return (await has('HEAD')) && (await has('objects')) && (await has('refs'))
}

/** The paths that git reads or writes at the top of a repository. */
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

const exists = async (files: WorktreeFiles, path: string): Promise<boolean> =>
  (await files.lstat(path).catch(() => undefined)) !== undefined

type ObjectFormat = Repository['objectFormat']

/** By the identity of the settings that it was read from. */
const knownFormats = new Map<string, ObjectFormat>()
const knownFormatsMax = 1000

async function readKnownFormat(
  files: WorktreeFiles,
  git: RunGit,
  commonDir: string,
): Promise<ObjectFormat> {
  const seen = await files.lstat(join(commonDir, 'config'), { bigint: true }).catch(() => undefined)
  const key = seen === undefined ? undefined : `${commonDir}\0${identityOf(seen)}`
  const known = key === undefined ? undefined : knownFormats.get(key)
  if (known !== undefined) return known
  const format = await readObjectFormat(git, commonDir)
  if (knownFormats.size >= knownFormatsMax) knownFormats.clear()
  if (key !== undefined) knownFormats.set(key, format)
  return format
}

async function readObjectFormat(git: RunGit, commonDir: string): Promise<ObjectFormat> {
  try {
    const { stdout } = await git({
      at: { gitDir: commonDir },
      command: 'cat-file',
      options: ['--batch-check'],
      input: Buffer.from(`${emptyTree({ objectFormat: 'sha256' })}\n`, 'latin1'),
    })
    // Every repository has the empty tree of its format.
    const isKnown =
      stdout.toString('latin1') === `${emptyTree({ objectFormat: 'sha256' })} tree 0\n`
    return isKnown ? 'sha256' : 'sha1'
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const advice = 'Repair it, or use another folder.'
    const message = `git cannot use the repository ${commonDir}: ${error.message}. ${advice}`
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

function strange(own: string, problem: string): LoopError {
  const advice = 'Use the path of the repository itself.'
  return new LoopError('workspace-failed', `${own} ${problem}. ${advice}`)
}

function noRepository(own: string): LoopError {
  const advice = 'Repair it (git worktree repair), or use another folder.'
  return new LoopError('workspace-failed', `${own} does not point to a repository. ${advice}`)
}

function reftable(commonDir: string): LoopError {
  const advice =
    'Migrate it (git refs migrate --ref-format=files), or work directly in the folder (--in-place).'
  const message = `${commonDir} stores its refs in the reftable format, which is not supported yet.`
  return new LoopError('not-available', `${message} ${advice}`)
}

function none(folder: string): LoopError {
  const advice = 'Create one there: git init, then git commit.'
  return new LoopError('workspace-failed', `${folder} is not in a git repository. ${advice}`)
}
