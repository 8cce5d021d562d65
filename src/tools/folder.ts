/**
 * A folder held open, so that what is in it can be reached without walking to it again: a link that
 * somebody puts in its place meanwhile leads nowhere.
 *
 * On Linux names are looked up through the handle. Elsewhere there is no such way for Node; names
 * are looked up by the path, and `verify` says afterwards whether it was still the same folder.
 */

import { constants, existsSync } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { ToolError } from './tool.ts'

export interface Folder {
  /** From the workspace, without links; empty for the workspace itself. */
  readonly path: string
  readonly depth: number
  readonly handle: FileHandle
  /** Where system calls find a name of this folder; without one, the folder itself. */
  at(name?: string): string
  /** Rejects with `changed` when the folder is no longer where it was. */
  verify(): Promise<void>
}

/** How many folders are held open on the way to a file. */
const depthMax = 100
const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

const hasHandlePaths = process.platform === 'linux' && existsSync('/proc/self/fd')

export interface FolderOptions {
  /** Only for tests: as on systems without a way through handles. */
  readonly byPath?: boolean
}

/** The root is taken as it is given: whoever configured it may use links. */
export async function openRoot(root: string, options: FolderOptions = {}): Promise<Folder> {
  const path = await realpath(root)
  return folder('', 0, path, await open(path, flags), options)
}

/** Never through a link. */
export async function openChild(
  parent: Folder,
  name: string,
  options: FolderOptions = {},
): Promise<Folder> {
  if (parent.depth >= depthMax) {
    throw new ToolError('bad-path', `${parent.path} is nested too deep. Use the run tool there.`)
  }
  const handle = await open(parent.at(name), flags | constants.O_NOFOLLOW)
  const path = parent.path === '' ? name : `${parent.path}/${name}`
  return folder(path, parent.depth + 1, parent.at(name), handle, options)
}

function folder(
  path: string,
  depth: number,
  real: string,
  handle: FileHandle,
  { byPath = !hasHandlePaths }: FolderOptions,
): Folder {
  const base = byPath ? real : `/proc/self/fd/${handle.fd}`
  return {
    path,
    depth,
    handle,
    at: (name) => (name === undefined ? base : `${base}/${name}`),
    async verify() {
      if (!byPath) return
      const [now, held] = await Promise.all([realpath(real), handle.stat()])
      if (now === real && held.nlink > 0) return
      throw new ToolError('changed', `The folder ${path} was moved meanwhile. Try again.`)
    },
  }
}
