/**
 * Copies the dependencies of the user's checkout into a layer; copies again only when they change. Their
 * content is unverified, so the certificate records that they were carried over.
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
  createLayerFolder,
  findLayer,
  removeLayerFolder,
  type StoredLayer,
  storeLayer,
} from './layer-store.ts'
import { listContent } from './list-content.ts'
import { isVenv, makeProgramsPortable } from './relocate-venv.ts'
import { createDependencyError } from './run-manager.ts'

export interface CarryLayerOptions {
  readonly reader: TreeReader
  readonly tree: TreeId
  readonly store: string
  /** The user's checkout. */
  readonly from: string
  readonly signal: Signal
}

const timeoutMs = 10 * 60_000
/** Files next to which there may be a folder of dependencies. */
const manifest = /(^|\/)(package\.json|pyproject\.toml|requirements\.txt|setup\.py)$/
const names = [...new Set([...lockfiles.flatMap(({ installs }) => installs), 'venv'])]

/** Undefined: the checkout has no installed dependencies. */
export async function carryLayer(options: CarryLayerOptions): Promise<StoredLayer | undefined> {
  const { store, from, signal } = options
  const folders = await findFolders(options)
  if (folders.length === 0) return undefined
  const seen = await listContent(from, folders, 'times')
  const key = createHash('sha256').update(`carried 2 ${from} ${seen.digest}`).digest('hex')
  const known = await findLayer(store, key)
  if (known !== undefined) return known
  const path = await createLayerFolder(store)
  try {
    for (const folder of folders) {
      await mkdir(dirname(join(path, folder)), { recursive: true })
      await copy(join(from, folder), join(path, folder), signal)
      if (isVenv(join(path, folder))) makeProgramsPortable(join(path, folder))
      await prepareFolder(join(path, folder))
    }
    const summary = `carried over: ${folders.slice(0, 5).join(', ')}`
    return await storeLayer(store, { key, path, from: 'carried', summary, folders })
  } catch (error) {
    await removeLayerFolder(store, path)
    throw error
  }
}

async function findFolders({ reader, tree, from }: CarryLayerOptions): Promise<readonly string[]> {
  const listed = await reader.list(tree)
  const beside = ['', ...[...listed.keys()].filter((path) => manifest.test(path)).map(parentFolder)]
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

const parentFolder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The copy may share blocks, where the file system supports that, but never inodes. */
async function copy(from: string, to: string, signal: Signal): Promise<void> {
  const program = findProgram('cp')
  if (program === undefined)
    throw createDependencyError('The program cp is not installed. Install it')
  // Owner and group are not preserved: in an overlay we can change only files that we own.
  const times = process.platform === 'linux' ? ['--preserve=mode,timestamps'] : ['-p']
  const command = { program, args: ['-RP', ...times, '--', from, to], cwd: '/', timeoutMs }
  const { exitCode, stderr } = await createPlainCommands().run(command, signal)
  signal.throwIfAborted()
  if (exitCode === 0) return
  const why = stderr.trim().split('\n').at(-1) ?? ''
  throw createDependencyError(`${from} could not be copied: ${why}. Fix that`)
}
