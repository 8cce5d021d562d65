/**
 * A folder that is held open, so that its content can be reached without resolving its path again:
 * a link that replaces it in the meantime has no effect.
 *
 * On Linux, names are resolved through the handle. Elsewhere Node has no such way; names are
 * resolved by path, and `verify` checks afterwards that it is still the same folder.
 */

import { constants, existsSync } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { noProtection, type Protection, requireShown } from './protection.ts'
import { ToolError } from './tool.ts'

export interface Folder {
  /** Relative to the workspace, without links; empty for the workspace itself. */
  readonly path: string
  readonly depth: number
  readonly handle: FileHandle
  /** To be checked before anything in this folder is shown or changed. */
  readonly protection: Protection
  /** The path for system calls on a name in this folder; without a name, on the folder itself. */
  at(name?: string): string
  /** Rejects with `changed` if the folder was moved. */
  verify(): Promise<void>
}

/** How many folders are held open on the way to a file. */
const depthMax = 100
const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

const hasHandlePaths = process.platform === 'linux' && existsSync('/proc/self/fd')

export interface FolderOptions {
  /** For tests: behaves as on systems without paths through handles. */
  readonly byPath?: boolean
}

export interface RootOptions extends FolderOptions {
  readonly protection?: Protection
}

/** The root may contain links: it comes from the configuration. */
export async function openRootFolder(root: string, options: RootOptions = {}): Promise<Folder> {
  const { protection = noProtection } = options
  const path = await realpath(root)
  requireShown(protection, '')
  return folder({ path: '', depth: 0, protection }, path, await open(path, flags), options)
}

/** Never follows a link, and refuses hidden paths. */
export async function openChildFolder(
  parent: Folder,
  name: string,
  options: FolderOptions = {},
): Promise<Folder> {
  const { protection, depth } = parent
  if (depth >= depthMax) {
    throw new ToolError('bad-path', `${parent.path} is nested too deeply. Use the run tool there.`)
  }
  const handle = await open(parent.at(name), flags | constants.O_NOFOLLOW)
  const path = pathIn(parent, name)
  try {
    requireShown(protection, path, await handle.stat({ bigint: true }))
  } catch (error) {
    await handle.close()
    throw error
  }
  return folder({ path, depth: depth + 1, protection }, parent.at(name), handle, options)
}

/** Relative to the workspace. */
export const pathIn = ({ path }: Pick<Folder, 'path'>, name: string): string =>
  path === '' ? name : `${path}/${name}`

function folder(
  known: Pick<Folder, 'path' | 'depth' | 'protection'>,
  real: string,
  handle: FileHandle,
  { byPath = !hasHandlePaths }: FolderOptions,
): Folder {
  const base = byPath ? real : `/proc/self/fd/${handle.fd}`
  return {
    ...known,
    handle,
    at: (name) => (name === undefined ? base : `${base}/${name}`),
    async verify() {
      if (!byPath) return
      const [now, held] = await Promise.all([realpath(real), handle.stat()])
      if (now === real && held.nlink > 0) return
      throw new ToolError(
        'changed',
        `The folder ${known.path} was moved in the meantime. Try again.`,
      )
    },
  }
}
