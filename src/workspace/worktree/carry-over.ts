/**
 * Carries ignored files of the user's checkout over into a new worktree, by rule: settings like `.env`,
 * dependencies like `node_modules`.
 *
 * 1. Files are copied, as reflinks if the file system supports them. They are never hard-linked: a write in the
 *    worktree would change the checkout.
 * 2. `link` creates a symlink to the path in the checkout. It is for files that are never changed, and a sandbox
 *    must mount its target read-only.
 * 3. Nothing is written through a symlink, and nothing that exists is replaced.
 */

import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { dirname } from 'node:path'
import picomatch from 'picomatch'
import { type CarryRule, carryRulesDefault } from '../../system/worktree-defaults.ts'
import { asText, type Bytes, fromText, joinBytes, toDisplay, toPath } from '../bytes.ts'
import { inParallel } from '../in-parallel.ts'
import {
  absolutePath,
  concurrency,
  type Folder,
  hasCode,
  listNames,
  readLinkTarget,
  tryLstat,
} from '../workspace-directory.ts'
import { measureFolder } from './copy-folder.ts'
import type { WorktreeFiles } from './worktree-files.ts'

export interface CarryLimits {
  readonly filesMax: number
  readonly bytesMax: number
}

/** Above this, installing the dependencies is faster. */
export const carryLimitsDefault: CarryLimits = { filesMax: 150_000, bytesMax: 2 * 1024 ** 3 }

export interface CarryResult {
  /** The paths that were carried over, relative to the worktree. */
  readonly paths: readonly string[]
  /** Those of `paths` that are symlinks. */
  readonly linked: readonly string[]
  /** Paths that match a rule and were not carried over, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[]
}

export interface CarryOptions {
  readonly files: WorktreeFiles
  readonly from: string
  readonly to: string
  /** In the form of git: folders end in a slash. */
  readonly ignored: readonly Bytes[]
  readonly rules?: readonly CarryRule[]
  readonly limits?: CarryLimits
}

export async function carryOver(options: CarryOptions): Promise<CarryResult> {
  const { files, from, to, ignored, rules = carryRulesDefault } = options
  const limits = { ...(options.limits ?? carryLimitsDefault) }
  const source: Source = { root: fromText(from), files, left: limits }
  const target: Target = { root: fromText(to), files }
  const paths: string[] = []
  const linked: string[] = []
  const skipped: { path: string; why: string }[] = []
  for (const listed of ignored) {
    const path = listed.replace(/\/$/, '')
    const by = findMethod(rules, toDisplay(path))
    if (by === undefined || by === 'nothing' || asText(path) === undefined) continue
    const why = await carryOne(source, target, path, by)
    if (why === undefined) {
      paths.push(toDisplay(path))
      if (by === 'link') linked.push(toDisplay(path))
    } else skipped.push({ path: toDisplay(path), why })
  }
  return { paths, linked, skipped }
}

type Target = Folder & { readonly files: WorktreeFiles }
type Source = Target & { readonly left: { filesMax: number; bytesMax: number } }

class TooMuchError extends Error {}

function findMethod(rules: readonly CarryRule[], path: string): CarryRule['by'] | undefined {
  return rules.find((rule) => picomatch.isMatch(path, rule.path, { dot: true, nonegate: true }))?.by
}

/** Undefined on success, else the reason why not. */
async function carryOne(
  source: Source,
  target: Target,
  path: Bytes,
  by: 'copy' | 'link',
): Promise<string | undefined> {
  if (!(await makeParents(target, path))) return 'a file or symlink blocks its path'
  if ((await tryLstat(target, path)) !== undefined) return undefined
  const temporary = joinBytes(parentOf(path), `.loopwright-${randomUUID()}`)
  try {
    if (by === 'link')
      await target.files.symlink(absolutePath(source, path), absolutePath(target, temporary))
    else if (!(await copyAtOnce(source, target, path, temporary)))
      await copy(source, target, path, temporary)
    await target.files.rename(absolutePath(target, temporary), absolutePath(target, path))
    return undefined
  } catch (error) {
    await target.files.rm(absolutePath(target, temporary), { recursive: true, force: true })
    if (error instanceof TooMuchError) return 'it is too large to copy: install it instead'
    if (hasCode(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR')) return 'it cannot be read'
    throw error
  }
}

/** False if a parent exists and is not a folder. */
async function makeParents(target: Target, path: Bytes): Promise<boolean> {
  const parts = path.split('/').slice(0, -1)
  for (const [index] of parts.entries()) {
    const folder = parts.slice(0, index + 1).join('/')
    const seen = await tryLstat(target, folder)
    if (seen === undefined) await target.files.mkdir(absolutePath(target, folder))
    else if (!seen.isDirectory()) return false
  }
  return true
}

/** False: nothing was copied. Folders that are too large or hold special files are left to `copy`. */
async function copyAtOnce(
  source: Source,
  target: Target,
  from: Bytes,
  to: Bytes,
): Promise<boolean> {
  const { files } = target
  if (files.copyFolder === undefined) return false
  if ((await tryLstat(source, from))?.isDirectory() !== true) return false
  const [folder, into] = [
    absolutePath(source, from).toString(),
    absolutePath(target, to).toString(),
  ]
  const { filesMax, bytesMax } = source.left
  const max = { files: filesMax, bytes: bytesMax }
  const size = await measureFolder(folder, max).catch(() => undefined)
  if (size === undefined) return false
  if (await files.copyFolder(folder, into)) {
    source.left.filesMax -= size.files
    source.left.bytesMax -= size.bytes
    return true
  }
  await files.rm(into, { recursive: true, force: true })
  return false
}

async function copy(source: Source, target: Target, from: Bytes, to: Bytes): Promise<void> {
  const seen = await tryLstat(source, from)
  if (seen === undefined) return
  source.left.filesMax -= 1
  source.left.bytesMax -= Number(seen.size)
  if (source.left.filesMax < 0 || source.left.bytesMax < 0) throw new TooMuchError()
  if (seen.isSymbolicLink()) {
    await target.files.symlink(toPath(await readLinkTarget(source, from)), absolutePath(target, to))
  } else if (seen.isFile()) {
    const mode = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE
    await target.files.copyFile(absolutePath(source, from), absolutePath(target, to), mode)
  } else if (seen.isDirectory()) {
    await target.files.mkdir(absolutePath(target, to))
    await inParallel(await listNames(source, from), concurrency, (name) =>
      copy(source, target, joinBytes(from, name), joinBytes(to, name)),
    )
  }
}

const parentOf = (path: Bytes): Bytes => (path.includes('/') ? dirname(path) : '')
