/**
 * Finds the loop files of projects, and what a run of each can be given. Reads only: nothing of a file runs, trusted or not.
 */

import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { codeLoopEndings, scanCodeLoop } from '../definition/code-loop/scan-code-loop.ts'
import { isConfigFile } from '../definition/config/preview-config.ts'
import { openTrust, type ReadLoopFile, readLoopFile } from '../definition/loop-file/index.ts'
import { defined, isLoopError, LoopError, textOf } from '../loop/index.ts'
import type { LoopTypeDefinition } from '../loops/index.ts'
import type { LoopEntry, LoopInput } from '../protocol/api/loops.ts'
import { isJsonObject } from '../protocol/index.ts'
import { folderWithGit } from '../runs/worktree-options.ts'
import { workspaceOf } from './load-file.ts'

export interface FindLoopsOptions {
  /** The state folder, which contains the list of trusted files. */
  readonly state: string
  /** Loop files that are known, wherever they are. Those that do not exist are left out. */
  readonly files?: readonly string[]
  /** Projects: their loop files are in `loops/` and at the top. Those that do not exist are left out. */
  readonly folders?: readonly string[]
  readonly types?: readonly LoopTypeDefinition[]
}

const foldersMax = 100
const filesMax = 500
const problemCharsMax = 500

/** By project, then by name. */
export async function findLoops(options: FindLoopsOptions): Promise<readonly LoopEntry[]> {
  const { state, files = [], folders = [] } = options
  const found = new Map<string, 'named' | 'guessed'>()
  for (const file of files) if (isLoopName(file)) found.set(file, 'named')
  for (const folder of folders.slice(0, foldersMax)) {
    for (const file of await filesIn(join(folder, 'loops'))) found.set(file, 'named')
    for (const file of await filesIn(folder)) if (!found.has(file)) found.set(file, 'guessed')
  }
  const trusted = new Set(
    (await openTrust(state).list()).map(({ file, digest }) => `${file}\0${digest}`),
  )
  const entries = new Map<string, LoopEntry>()
  for (const [path, why] of [...found].slice(0, filesMax)) {
    const file = await realpath(path).catch(() => undefined)
    if (file === undefined || entries.has(file)) continue
    const entry = await describe(file, trusted, options)
    // Many files at the top of a project are in YAML, and no loops.
    if (why === 'named' || entry.problem === undefined) entries.set(file, entry)
  }
  return [...entries.values()].toSorted(
    (a, b) => compare(a.folder, b.folder) || compare(a.name, b.name),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Rejects with `unknown-file` if there is no such folder. */
export async function requireFolder(folder: string): Promise<string> {
  const full = await realpath(folder).catch(() => undefined)
  const isFolder = full !== undefined && (await readdir(full).catch(() => undefined)) !== undefined
  if (full !== undefined && isFolder) return full
  const reason = `There is no folder ${folder.slice(0, 500)} that the daemon can read.`
  throw new LoopError('unknown-file', `${reason} Name one on its machine.`, {
    details: { errors: [{ field: 'folder', reason }] },
  })
}

const isLoopName = (file: string): boolean =>
  /\.(?:ya?ml|loop\.m?[jt]s)$/.test(file) && !isConfigFile(file)

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && isLoopName(entry.name))
    .map(({ name }) => join(folder, name))
    .toSorted()
}

async function describe(
  file: string,
  trusted: ReadonlySet<string>,
  { types }: FindLoopsOptions,
): Promise<LoopEntry> {
  const at = { file, folder: projectOf(file), name: nameOf(file), workspace: projectOf(file) }
  try {
    if (codeLoopEndings.includes(extname(file))) {
      const { digest } = await scanCodeLoop(file)
      return { ...at, trusted: trusted.has(`${file}\0${digest}`) }
    }
    const read = await readLoopFile(file, defined({ types }))
    return {
      ...at,
      ...describeRead(read, at.folder),
      trusted: trusted.has(`${file}\0${read.digest}`),
    }
  } catch (error) {
    if (!isLoopError(error)) throw error
    return { ...at, trusted: false, problem: textOf(error).slice(0, problemCharsMax) }
  }
}

function describeRead({ file, type, path }: ReadLoopFile, folder: string) {
  const { name, description } = file
  return {
    name,
    type: type.name,
    inputs: inputsOf(file, type),
    workspace: workspaceOf(file, path, folder),
    ...defined({ description, level: type.proposes === undefined ? undefined : file.level }),
  }
}

function inputsOf(
  { input, settings }: ReadLoopFile['file'],
  { inputs = [] }: LoopTypeDefinition,
): readonly LoopInput[] {
  const written = isJsonObject(settings) ? settings : {}
  const own = Object.entries(input).map(
    ([name, value]): LoopInput => ({ name, default: value, from: 'loop-file' }),
  )
  const more = inputs
    .filter((name) => !Object.hasOwn(input, name))
    .map((name): LoopInput => {
      const known = Object.hasOwn(written, name) ? written[name] : undefined
      return { name, from: 'loop-type', ...(typeof known === 'string' ? { default: known } : {}) }
    })
  return [...own, ...more]
}

function projectOf(file: string): string {
  const folder = dirname(file)
  return folderWithGit(folder) ?? (basename(folder) === 'loops' ? dirname(folder) : folder)
}

const nameOf = (file: string): string => basename(file).replace(/(?:\.loop)?\.\w+$/, '')
