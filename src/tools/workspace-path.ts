/**
 * Resolves a path that an agent wrote to a location in the workspace, never to one outside.
 *
 * 1. The walk goes from folder to folder by handles and follows no link by itself. A link is
 *   read, and its target is walked in the same way; one that leads out of the workspace is refused.
 * 2. Nothing can be swapped in between: files are opened in the folder that the walk reached.
 * 3. `..` goes to the folder it was reached from, and never above the workspace.
 * 4. Hidden paths are not entered; for writing, nothing on the way may be read-only.
 */

import type { BigIntStats } from 'node:fs'
import { lstat, mkdir, readlink, realpath } from 'node:fs/promises'
import { asToolError, hasErrorCode } from './file-errors.ts'
import {
  type Folder,
  type FolderOptions,
  openChildFolder,
  openRootFolder,
  pathIn,
} from './folder.ts'
import { isOutputPath, requireWritableName, shown, splitPath } from './path-text.ts'
import { noProtection, type Protection, requireShown, requireWritable } from './protection.ts'
import { ToolError, type ToolRunContext } from './tool.ts'

export interface Location {
  /** Held open while the location is in use. */
  readonly folder: Folder
  /** In that folder; undefined if the location is the folder itself. */
  readonly name: string | undefined
  /** Relative to the workspace, without links; `.` for the workspace itself. */
  readonly path: string
  /** What is there, if anything. It is not a link. */
  readonly found: BigIntStats | undefined
}

export interface WalkOptions extends FolderOptions {
  /** Something will be created or changed here. */
  readonly writing?: boolean
  /** Missing folders on the way are created. */
  readonly createFolders?: boolean
}

const linksMax = 40
const stepsMax = 2000

/** Failures are thrown as a `ToolError` that names the path. */
export async function withLocation<T>(
  context: Pick<ToolRunContext, 'workspace' | 'protection'>,
  path: string,
  options: WalkOptions,
  use: (place: Location) => Promise<T>,
): Promise<T> {
  const { workspace, protection = noProtection } = context
  if (workspace === undefined) {
    throw new ToolError('no-workspace', 'This run has no workspace, so there are no files.')
  }
  if (options.writing === true && isOutputPath(path)) {
    throw new ToolError('protected', `${shown(path)} is stored output, which cannot be changed.`)
  }
  const roots = [workspace]
  const walker: Walker = { path, options, protection, roots, stack: [], pending: [] }
  try {
    return await use(await walk(walker))
  } catch (error) {
    throw asToolError(error, path)
  } finally {
    await Promise.all(walker.stack.map((folder) => folder.handle.close()))
  }
}

interface Walker {
  readonly path: string
  readonly options: WalkOptions
  readonly protection: Protection
  /** The workspace as configured, and without links. */
  readonly roots: string[]
  /** Open folders from the workspace down. */
  readonly stack: Folder[]
  /** Parts still to walk, the next one last. */
  readonly pending: string[]
}

async function walk(walker: Walker): Promise<Location> {
  const { path, pending, roots, stack } = walker
  const written = splitPath(path)
  const root = roots[0] ?? ''
  roots.push(await realpath(root).catch(() => missingRoot(root)))
  stack.push(await openRootFolder(root, { ...walker.options, protection: walker.protection }))
  pending.push(...toParts(walker, written.join('/')).toReversed())
  let links = 0
  for (let steps = 0; pending.length > 0; steps++) {
    if (steps > stepsMax) throw new ToolError('bad-path', `${shown(path)} has too many parts.`)
    const name = pending.pop() ?? ''
    const here = top(walker)
    if (name === '..') await goUp(walker)
    else {
      const found = await statEntry(here, name)
      if (found?.isSymbolicLink() === true) {
        if (++links > linksMax)
          throw new ToolError('bad-path', `${shown(path)} is a loop of links.`)
        pending.push(...(await readTarget(walker, here, name)).toReversed())
      } else if (pending.length === 0) return toLocation(walker, name, found)
      else await enterFolder(walker, name, found)
    }
  }
  return toFolderLocation(walker)
}

/** The parts to walk from the workspace, or from here if the path is relative. */
function toParts({ path, roots }: Walker, text: string): readonly string[] {
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  if (!text.startsWith('/')) return parts
  for (const root of roots) {
    const rootParts = root.split('/').filter((part) => part !== '')
    if (rootParts.every((part, index) => parts[index] === part))
      return parts.slice(rootParts.length)
  }
  throw createOutsideError(path)
}

async function readTarget(walker: Walker, here: Folder, name: string): Promise<readonly string[]> {
  const target = await readlink(here.at(name))
  const parts = toParts(walker, target)
  if (target.startsWith('/')) while (walker.stack.length > 1) await close(walker)
  return parts
}

async function goUp(walker: Walker): Promise<void> {
  if (walker.stack.length === 1) throw createOutsideError(walker.path)
  await close(walker)
}

async function enterFolder(
  walker: Walker,
  name: string,
  found: BigIntStats | undefined,
): Promise<void> {
  const { path, options } = walker
  requireAllowed(walker, name, found)
  if (found === undefined) await createFolder(walker, name)
  else if (!found.isDirectory()) throw notAFolder(path)
  walker.stack.push(await openChildFolder(top(walker), name, options))
}

/** Nothing is created on the way to a location that is refused. */
async function createFolder(walker: Walker, name: string): Promise<void> {
  const { path, options, pending } = walker
  if (options.createFolders !== true || pending.includes('..')) throw notFound(path)
  for (const below of pending) requireWritableName(below, path)
  const whole = [name, ...pending.toReversed()].join('/')
  requireWritable(walker.protection, pathIn(top(walker), whole))
  try {
    await mkdir(top(walker).at(name))
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error
  }
}

function toLocation(walker: Walker, name: string, found: BigIntStats | undefined): Location {
  const { path } = walker
  requireAllowed(walker, name, found)
  const wantsFolder = /\/\.?$/.test(path)
  if (wantsFolder && found !== undefined && !found.isDirectory()) throw notAFolder(path)
  const folder = top(walker)
  return { folder, name, path: pathIn(folder, name), found }
}

function requireAllowed(walker: Walker, name: string, found: BigIntStats | undefined): void {
  const { path, options, protection } = walker
  const real = pathIn(top(walker), name)
  if (options.writing !== true) return requireShown(protection, real, found)
  requireWritableName(name, path)
  requireWritable(protection, real, found)
}

async function toFolderLocation(walker: Walker): Promise<Location> {
  const folder = top(walker)
  const found = await folder.handle.stat({ bigint: true })
  return { folder, name: undefined, path: folder.path === '' ? '.' : folder.path, found }
}

async function statEntry(folder: Folder, name: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(folder.at(name), { bigint: true })
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function top({ stack, path }: Walker): Folder {
  const folder = stack.at(-1)
  if (folder === undefined) throw createOutsideError(path)
  return folder
}

const close = async ({ stack }: Walker): Promise<void> => stack.pop()?.handle.close()

function missingRoot(root: string): never {
  throw new ToolError('no-workspace', `There is no folder ${shown(root)} to work in.`)
}

const createOutsideError = (path: string): ToolError =>
  new ToolError(
    'outside-workspace',
    `${shown(path)} is outside the workspace. Use a path inside it; links must stay inside too.`,
  )

export const notFound = (path: string): ToolError =>
  new ToolError('not-found', `There is no ${shown(path)}. Use list or glob to see what there is.`)

export const notAFolder = (path: string): ToolError =>
  new ToolError('not-a-folder', `${shown(path)} is not a folder, or part of the path is not one.`)
