/**
 * Finds files of the workspace by globs. Only folders that a glob can match in are read, links are not followed, and both what
 * is looked at and what is found is limited: a workspace can contain anything.
 */

import { createHash } from 'node:crypto'
import { createReadStream, type Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import picomatch from 'picomatch'
import { FaultError, type Signal } from '../../loop/index.ts'
import type { FindFiles, FoundFile } from '../../loops/loop-ports.ts'

const entriesMax = 200_000
const fileBytesMax = 256 * 1024 ** 2

export const createFindFiles =
  (workspace: string | undefined): FindFiles =>
  async ({ patterns, filesMax }, signal) => {
    if (workspace === undefined) return []
    const paths = new Set<string>()
    const budget = { entries: 0 }
    for (const pattern of patterns) {
      for await (const path of listMatches(workspace, pattern, budget, signal)) {
        paths.add(path)
        if (paths.size > filesMax) throw tooMany(`more than ${filesMax} files match ${pattern}`)
      }
    }
    const found: FoundFile[] = []
    for (const path of [...paths].toSorted()) {
      signal.throwIfAborted()
      found.push(await describeFile(workspace, path))
    }
    return found
  }

async function* listMatches(
  workspace: string,
  pattern: string,
  budget: { entries: number },
  signal: Signal,
): AsyncGenerator<string> {
  const { base, glob, isGlob } = picomatch.scan(pattern)
  const start = (isGlob ? base : pattern).replace(/\/+$/, '')
  if (!(await isPlain(workspace, start))) return
  const found = await lstat(join(workspace, start)).catch(() => undefined)
  if (!isGlob) {
    if (found?.isFile() === true) yield start
    return
  }
  const isMatch = picomatch(glob, { nonegate: true, dot: false, noext: true })
  // Without `**` nothing below the depth of the glob can match.
  const depthMax = glob.includes('**') ? Number.POSITIVE_INFINITY : glob.split('/').length
  const folders: (readonly string[])[] = found?.isDirectory() === true ? [[]] : []
  for (const parts of folders) {
    signal.throwIfAborted()
    for (const entry of await list(join(workspace, start, ...parts))) {
      if (++budget.entries > entriesMax) {
        throw tooMany(
          `more than ${entriesMax} files and folders had to be looked at for ${pattern}`,
        )
      }
      const inner = [...parts, entry.name]
      if (entry.isDirectory() && entry.name !== '.git' && inner.length < depthMax)
        folders.push(inner)
      if (!entry.isFile() || !isMatch(inner.join('/'))) continue
      yield [...(start === '' ? [] : [start]), ...inner].join('/')
    }
  }
}

/** A folder may disappear, or be unreadable: then nothing in it is a case. */
const list = (folder: string): Promise<readonly Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch(() => [])

/** No part of it is a link, or belongs to git. */
async function isPlain(workspace: string, path: string): Promise<boolean> {
  const parts = path.split('/').filter((part) => part !== '')
  for (const [at] of parts.entries()) {
    const found = await lstat(join(workspace, ...parts.slice(0, at + 1))).catch(() => undefined)
    if (found === undefined || found.isSymbolicLink() || parts[at] === '.git') return false
  }
  return true
}

async function describeFile(workspace: string, path: string): Promise<FoundFile> {
  const whole = join(workspace, path)
  const { size } = await lstat(whole)
  if (size > fileBytesMax) {
    throw tooMany(`${path} has more than ${fileBytesMax / 1024 ** 2} MB`)
  }
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(whole)) hash.update(chunk as Uint8Array)
  return { path, bytes: size, digest: hash.digest('hex') }
}

const tooMany = (what: string): FaultError =>
  new FaultError({
    code: 'too-many-files',
    message: `The files could not be listed: ${what}. Use narrower globs in the manifest.`,
    retryable: false,
    fatal: true,
  })
