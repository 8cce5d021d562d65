/**
 * Brings ignored files of the person's checkout into a new worktree, by rule: settings like `.env`,
 * dependencies like `node_modules`.
 *
 * 1. A file is copied, sharing its blocks where the file system can do that. It is never the same
 *    file under two names (a hard link): a write in the worktree would change the checkout.
 * 2. `link` makes a symbolic link to the checkout's own. It is for what nobody changes, and a sandbox
 *    must show its target, read-only.
 * 3. Nothing is written through a link, and nothing that is there already is replaced.
 */

import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { dirname } from 'node:path'
import picomatch from 'picomatch'
import { type CarryRule, carryRulesDefault } from '../../system/worktree-defaults.ts'
import { asText, type Bytes, fromText, inside, show, toPath } from '../bytes.ts'
import { inParallel } from '../in-parallel.ts'
import { at, type Folder, hasCode, linkTarget, look, namesIn, width } from '../place.ts'
import type { WorktreeFiles } from './worktree-files.ts'

export interface CarryLimits {
  readonly filesMax: number
  readonly bytesMax: number
}

/** Beyond it an install is the better way. */
export const carryLimitsDefault: CarryLimits = { filesMax: 150_000, bytesMax: 2 * 1024 ** 3 }

export interface Carried {
  /** Now in the worktree, relative to it. */
  readonly paths: readonly string[]
  /** Of those, the ones that are links. */
  readonly linked: readonly string[]
  /** What stayed behind although a rule wants it, and why. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[]
}

export interface CarryOptions {
  readonly files: WorktreeFiles
  readonly from: string
  readonly to: string
  /** As git lists them: folders end in a slash. */
  readonly ignored: readonly Bytes[]
  readonly rules?: readonly CarryRule[]
  readonly limits?: CarryLimits
}

export async function carryOver(options: CarryOptions): Promise<Carried> {
  const { files, from, to, ignored, rules = carryRulesDefault } = options
  const limits = { ...(options.limits ?? carryLimitsDefault) }
  const source: Source = { root: fromText(from), files, left: limits }
  const target: Target = { root: fromText(to), files }
  const paths: string[] = []
  const linked: string[] = []
  const skipped: { path: string; why: string }[] = []
  for (const listed of ignored) {
    const path = listed.replace(/\/$/, '')
    const by = howTo(rules, show(path))
    if (by === undefined || by === 'nothing' || asText(path) === undefined) continue
    const why = await carryOne(source, target, path, by)
    if (why === undefined) {
      paths.push(show(path))
      if (by === 'link') linked.push(show(path))
    } else skipped.push({ path: show(path), why })
  }
  return { paths, linked, skipped }
}

type Target = Folder & { readonly files: WorktreeFiles }
type Source = Target & { readonly left: { filesMax: number; bytesMax: number } }

class TooMuchError extends Error {}

function howTo(rules: readonly CarryRule[], path: string): CarryRule['by'] | undefined {
  return rules.find((rule) => picomatch.isMatch(path, rule.path, { dot: true, nonegate: true }))?.by
}

/** Undefined when it is there now, else why it is not. */
async function carryOne(
  source: Source,
  target: Target,
  path: Bytes,
  by: 'copy' | 'link',
): Promise<string | undefined> {
  if (!(await makeParents(target, path))) return 'a file or a link is in its way'
  if ((await look(target, path)) !== undefined) return undefined
  const temporary = inside(parentOf(path), `.loopwright-${randomUUID()}`)
  try {
    if (by === 'link') await target.files.symlink(at(source, path), at(target, temporary))
    else await copy(source, target, path, temporary)
    await target.files.rename(at(target, temporary), at(target, path))
    return undefined
  } catch (error) {
    await target.files.rm(at(target, temporary), { recursive: true, force: true })
    if (error instanceof TooMuchError) return 'it is too large to copy: install it instead'
    if (hasCode(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR')) return 'it cannot be read'
    throw error
  }
}

/** False when something that is no folder is where one must be. */
async function makeParents(target: Target, path: Bytes): Promise<boolean> {
  const parts = path.split('/').slice(0, -1)
  for (const [index] of parts.entries()) {
    const folder = parts.slice(0, index + 1).join('/')
    const seen = await look(target, folder)
    if (seen === undefined) await target.files.mkdir(at(target, folder))
    else if (!seen.isDirectory()) return false
  }
  return true
}

async function copy(source: Source, target: Target, from: Bytes, to: Bytes): Promise<void> {
  const seen = await look(source, from)
  if (seen === undefined) return
  source.left.filesMax -= 1
  source.left.bytesMax -= Number(seen.size)
  if (source.left.filesMax < 0 || source.left.bytesMax < 0) throw new TooMuchError()
  if (seen.isSymbolicLink()) {
    await target.files.symlink(toPath(await linkTarget(source, from)), at(target, to))
  } else if (seen.isFile()) {
    const mode = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE
    await target.files.copyFile(at(source, from), at(target, to), mode)
  } else if (seen.isDirectory()) {
    await target.files.mkdir(at(target, to))
    await inParallel(await namesIn(source, from), width, (name) =>
      copy(source, target, inside(from, name), inside(to, name)),
    )
  }
}

const parentOf = (path: Bytes): Bytes => (path.includes('/') ? dirname(path) : '')
