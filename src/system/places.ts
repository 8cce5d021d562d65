/** Folders that callers name: where they lead, and that nothing there is lost. */

import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { LoopError } from '../loop/index.ts'

/** The parts of a record that hold what it knows; other folders in it may be worked in. */
const recordParts = [
  'answers',
  'baselines',
  'blobs',
  'certificates',
  'certify',
  'daemon',
  'keys',
  'layers',
  'loops',
  'output',
  'repositories',
  'runs',
  'tmp',
]

/**
 * Where a path leads, links resolved: a workspace is never a link itself. Refuses the record: putting
 * files back there would remove it.
 */
export function resolveWorkspace(path: string | undefined, record: string): string | undefined {
  if (path === undefined) return undefined
  const real = realPath(resolve(path))
  const parts = recordParts.map((part) => join(record, part))
  if (real !== record && parts.every((part) => pathInside(part, real) === undefined)) return real
  throw new LoopError(
    'bad-request',
    `The folder ${real} is the record itself or a part of it. Give another folder to work in.`,
  )
}

/** The relative path of what is in a folder, or is it ('.'); undefined for what is not. */
export function pathInside(folder: string, path: string): string | undefined {
  const inner = relative(folder, path)
  if (inner === '') return '.'
  return inner === '..' || inner.startsWith(`..${sep}`) || isAbsolute(inner) ? undefined : inner
}

/** Files of a checkpoint replace what is in the folder, so that must be nothing, or allowed. */
export function requireEmpty(
  workspace: string | undefined,
  replaceFiles: boolean | undefined,
): void {
  if (workspace === undefined || !mayBeFolder(workspace) || replaceFiles === true) return
  if (readdirSync(workspace).length === 0) return
  throw new LoopError(
    'bad-request',
    `The folder ${workspace} is not empty, and its files would be replaced. ` +
      'Give an empty one (in code: or say replaceFiles).',
  )
}

/**
 * With the folders above it, for us alone; the first that had to be made, if any. Node's own way to
 * do this goes round for ever where a folder is refused as not there, as in `/proc`.
 */
export function makeFolder(path: string): string | undefined {
  const above = dirname(path)
  const first = existsSync(above) || above === path ? undefined : makeFolder(above)
  if (existsSync(path)) return first
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Somebody else was faster.
    if (!existsSync(path)) throw error
  }
  return first ?? path
}

/** A folder to work in that somebody named as a whole path; made if it is not there. */
export function makeWorkFolder(path: string): void {
  if (isAbsolute(path) && mayBeFolder(path)) return
  try {
    if (isAbsolute(path)) return void makeFolder(path)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The folder cannot be made: ${reason}. Give another to work in.`
    throw new LoopError('bad-request', message, { cause })
  }
  throw new LoopError('bad-request', `"${path}" is no whole path. Give it from / on.`)
}

/** A run that has nowhere to work is not made. */
export function requireFolder(workspace: string | undefined): void {
  if (workspace === undefined || mayBeFolder(workspace)) return
  const message = `There is no folder ${workspace}. Make it, or give another to work in.`
  throw new LoopError('bad-request', message)
}

/** True: it is there. False: it could be made. Throws where it never can be. */
export function mayBeFolder(path: string): boolean {
  let problem = 'it is something else'
  try {
    if (statSync(path).isDirectory()) return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT') return false
    problem = code
  }
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const message = `This is no folder: ${shown} (${problem}). Make it, or give another to work in.`
  throw new LoopError('bad-request', message)
}

/**
 * That what is there can be looked at. Inside the walls nobody has more rights than its owner, so for
 * root too the mode counts.
 */
export function requireReadable(workspace: string | undefined): void {
  const found = workspace === undefined ? undefined : statSync(workspace, { throwIfNoEntry: false })
  if (workspace === undefined || found === undefined || mayRead(workspace, found)) return
  const message = `The folder ${workspace} is there and cannot be read. Nothing was done.`
  throw new LoopError('workspace-failed', `${message} Allow it (chmod u+rwx), then try again.`)
}

function mayRead(folder: string, { uid, mode }: Stats): boolean {
  if (uid === process.getuid?.() && (mode & 0o500) !== 0o500) return false
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** What is in a git directory is git's own: programs that git runs, and what it knows. */
export function requireNoGitDir(workspace: string | undefined): void {
  const gitDir = workspace === undefined ? undefined : gitDirAround(workspace)
  if (gitDir === undefined) return
  const what = gitDir === workspace ? 'is' : `is inside ${gitDir}, which is`
  const advice = 'Give a checkout of it as the workspace; for a bare repository, pass --worktree.'
  const message = `${workspace} ${what} a git directory, and nobody works in those.`
  throw new LoopError('bad-request', `${message} ${advice}`)
}

/** For the record of a run that works in a folder itself. */
export const isWithoutGit = (workspace: string | undefined): boolean =>
  workspace !== undefined &&
  lstatSync(join(workspace, '.git'), { throwIfNoEntry: false }) === undefined

/** The folder, or one above it, in which git keeps a repository. What is in a checkout is none. */
export function gitDirAround(folder: string): string | undefined {
  const has = (name: string): boolean =>
    lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined
  if (has('.git')) return undefined
  if (has('HEAD') && (has('commondir') || (has('objects') && has('refs')))) return folder
  const above = dirname(folder)
  return above === folder ? undefined : gitDirAround(above)
}

/** Where the files of a checkpoint are put together. */
export const restoreFolder = (record: string): string => join(record, 'tmp')

/** Of what does not exist yet, the folders above it count. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent), basename(path))
}
