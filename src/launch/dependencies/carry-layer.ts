/**
 * A copy of the dependencies in the user's own checkout, made again only when they change. Their content is
 * unknown, so the certificate says that they were carried.
 */

import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { type TreeReader } from '../../engine/index.ts'
import { lockfiles } from '../../evidence/index.ts'
import type { Signal, TreeId } from '../../loop/index.ts'
import { createPlainCommands, findProgram } from '../../sandbox/index.ts'
import { prepareFolder } from './layer-folders.ts'
import {
  findLayer,
  keepLayer,
  newLayerFolder,
  removeLayerFolder,
  type StoredLayer,
} from './layer-store.ts'
import { listContent } from './list-content.ts'
import { isVenv, makeProgramsPortable } from './relocate-venv.ts'
import { refused } from './run-manager.ts'

export interface CarryLayerOptions {
  readonly reader: TreeReader
  readonly tree: TreeId
  readonly store: string
  /** The person's checkout. */
  readonly from: string
  readonly signal: Signal
}

const timeoutMs = 10 * 60_000
/** Beside any of these a folder of dependencies may be. */
const manifest = /(^|\/)(package\.json|pyproject\.toml|requirements\.txt|setup\.py)$/
const names = [...new Set([...lockfiles.flatMap(({ installs }) => installs), 'venv'])]

/** Undefined: there is nothing to be carried. */
export async function carryLayer(options: CarryLayerOptions): Promise<StoredLayer | undefined> {
  const { store, from, signal } = options
  const folders = await foldersIn(options)
  if (folders.length === 0) return undefined
  const seen = await listContent(from, folders, 'times')
  const key = createHash('sha256').update(`carried 2 ${from} ${seen.digest}`).digest('hex')
  const known = await findLayer(store, key)
  if (known !== undefined) return known
  const path = await newLayerFolder(store)
  try {
    for (const folder of folders) {
      await mkdir(dirname(join(path, folder)), { recursive: true })
      await copy(join(from, folder), join(path, folder), signal)
      if (isVenv(join(path, folder))) makeProgramsPortable(join(path, folder))
      await prepareFolder(join(path, folder))
    }
    const summary = `carried over: ${folders.slice(0, 5).join(', ')}`
    return await keepLayer(store, { key, path, from: 'carried', summary, folders })
  } catch (error) {
    await removeLayerFolder(store, path)
    throw error
  }
}

async function foldersIn({ reader, tree, from }: CarryLayerOptions): Promise<readonly string[]> {
  const listed = await reader.list(tree)
  const beside = ['', ...[...listed.keys()].filter((path) => manifest.test(path)).map(parentOf)]
  const isTracked = (folder: string): boolean =>
    [...listed.keys()].some((path) => path.startsWith(`${folder}/`))
  const wanted = [...new Set(beside)]
    .filter((folder) => !/(^|\/)node_modules(\/|$)/.test(folder))
    .flatMap((folder) => names.map((name) => posix.join(folder, name)))
  return [...new Set(wanted)].filter((folder) => {
    const found = lstatSync(join(from, folder), { throwIfNoEntry: false })
    return found?.isDirectory() === true && !isTracked(folder)
  })
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Blocks are shared where the file system can do that; files never are. */
async function copy(from: string, to: string, signal: Signal): Promise<void> {
  const program = findProgram('cp')
  if (program === undefined) throw refused('The program cp is not installed. Install it')
  // In an overlay only files of ours can be changed, so they do not stay those of another user or group.
  const times = process.platform === 'linux' ? ['--preserve=mode,timestamps'] : ['-p']
  const command = { program, args: ['-RP', ...times, '--', from, to], cwd: '/', timeoutMs }
  const { exitCode, stderr } = await createPlainCommands().run(command, signal)
  signal.throwIfAborted()
  if (exitCode === 0) return
  const why = stderr.trim().split('\n').at(-1) ?? ''
  throw refused(`${from} could not be copied: ${why}. Fix that`)
}
