/** Checks on the folders that callers pass: that they can be used, and that no data in them is lost. */

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

/** The folders of a state folder that hold its data; any other folder inside it may be a workspace. */
const stateParts = [
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
 * Resolves symlinks, because a workspace must not be one itself. Rejects the state folder, because
 * restoring files there would delete it.
 */
export function resolveWorkspace(
  path: string | undefined,
  stateFolder: string,
): string | undefined {
  if (path === undefined) return undefined
  const real = realPath(resolve(path))
  const parts = stateParts.map((part) => join(stateFolder, part))
  const isOutside = parts.every((part) => pathInside(part, real) === undefined)
  if (real !== stateFolder && isOutside) return real
  throw new LoopError(
    'bad-request',
    `The folder ${real} is the state folder or a part of it. Use another folder as the workspace.`,
  )
}

/** The path relative to the folder ('.' for the folder itself); undefined if it is outside. */
export function pathInside(folder: string, path: string): string | undefined {
  const inner = relative(folder, path)
  if (inner === '') return '.'
  return inner === '..' || inner.startsWith(`..${sep}`) || isAbsolute(inner) ? undefined : inner
}

/** Restoring a checkpoint replaces all files of the folder, so it must be empty or the caller must agree. */
export function requireEmptyFolder(
  workspace: string | undefined,
  replaceFiles: boolean | undefined,
): void {
  if (workspace === undefined || !folderExists(workspace) || replaceFiles === true) return
  if (readdirSync(workspace).length === 0) return
  throw new LoopError(
    'bad-request',
    `The folder ${workspace} is not empty, and its files would be replaced. ` +
      'Use an empty folder (in code: or set replaceFiles).',
  )
}

/**
 * Creates a folder and its missing parents, accessible to the current user only. Returns the topmost folder
 * that it created, if any. Node's recursive mkdir loops forever where mkdir fails with ENOENT, as in `/proc`.
 */
export function makeFolder(path: string): string | undefined {
  const above = dirname(path)
  const first = existsSync(above) || above === path ? undefined : makeFolder(above)
  if (existsSync(path)) return first
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process created it first.
    if (!existsSync(path)) throw error
  }
  return first ?? path
}

/** Creates the workspace folder if it does not exist; its path must be absolute. True: it was created. */
export function ensureWorkspaceFolder(path: string): boolean {
  if (isAbsolute(path) && folderExists(path)) return false
  try {
    if (isAbsolute(path)) return makeFolder(path) !== undefined
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Cannot create the folder: ${reason}. Use another workspace.`
    throw new LoopError('bad-request', message, { cause })
  }
  throw new LoopError(
    'bad-request',
    `"${path}" is not an absolute path. Use one that starts with /.`,
  )
}

/** Rejects a workspace that does not exist, before a run is created for it. */
export function requireFolder(workspace: string | undefined): void {
  if (workspace === undefined || folderExists(workspace)) return
  const message = `The folder ${workspace} does not exist. Create it, or use another workspace.`
  throw new LoopError('bad-request', message)
}

/** True: the folder exists. False: it could be created. Throws if it is not a folder or not accessible. */
export function folderExists(path: string): boolean {
  let problem = 'another kind of file'
  try {
    if (statSync(path).isDirectory()) return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT') return false
    problem = code
  }
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const message = `${shown} is not a folder (${problem}). Use another workspace.`
  throw new LoopError('bad-request', message)
}

/**
 * Rejects a folder that exists and cannot be read. Processes in the sandbox have no more rights than the
 * owner, so the mode counts even for root.
 */
export function requireReadable(workspace: string | undefined): void {
  const found = workspace === undefined ? undefined : statSync(workspace, { throwIfNoEntry: false })
  if (workspace === undefined || found === undefined || mayRead(workspace, found)) return
  const message = `The folder ${workspace} exists but cannot be read. Nothing was changed.`
  const advice = `Make it readable, then try again: chmod u+rwx ${workspace}`
  throw new LoopError('workspace-failed', `${message} ${advice}`)
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

/** Rejects a folder inside a git directory: its files are git's data and hooks that git runs. */
export function requireOutsideGitDir(workspace: string | undefined): void {
  const gitDir = workspace === undefined ? undefined : findEnclosingGitDir(workspace)
  if (gitDir === undefined) return
  const relation = gitDir === workspace ? 'is' : `is inside ${gitDir}, which is`
  const advice = 'Use a checkout as the workspace, or pass --worktree for a bare repository.'
  const message = `${workspace} ${relation} a git directory, which cannot be a workspace.`
  throw new LoopError('bad-request', `${message} ${advice}`)
}

/** Journaled for a run that works directly in a folder. */
export const isWithoutGit = (workspace: string | undefined): boolean =>
  workspace !== undefined &&
  lstatSync(join(workspace, '.git'), { throwIfNoEntry: false }) === undefined

/** The git directory that contains the folder or is the folder; undefined inside a checkout. */
export function findEnclosingGitDir(folder: string): string | undefined {
  const has = (name: string): boolean =>
    lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined
  if (has('.git')) return undefined
  if (has('HEAD') && (has('commondir') || (has('objects') && has('refs')))) return folder
  const above = dirname(folder)
  return above === folder ? undefined : findEnclosingGitDir(above)
}

/** Where the files of a checkpoint are assembled. */
export const restoreFolder = (stateFolder: string): string => join(stateFolder, 'tmp')

/** For a path that does not exist yet, resolves its nearest existing parent. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent), basename(path))
}
