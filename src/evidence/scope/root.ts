/** A part of the tree that is work by default, and access to the base for deriving it. */

import type { TreeFile, TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'

export interface Root {
  /** With a trailing slash; `''`: the top. */
  readonly folder: string
  /** Everything below the folder, or only the files in it. */
  readonly deep: boolean
  /** If set, only files of these kinds belong to it. */
  readonly kinds?: ReadonlySet<string>
  /** The package that it belongs to, without nested packages. */
  readonly owner?: string
  /** For example `exports of package.json`. */
  readonly why: string
}

export interface BaseFiles {
  readonly files: ReadonlyMap<string, TreeFile>
  /** Folders that contain files, directly or not, with a trailing slash. */
  readonly folders: ReadonlySet<string>
  /** `''`: the file does not exist or is too long. */
  read(path: string): Promise<string>
}

const bytesMax = 1024 * 1024

export async function openBase(reader: TreeReader, base: TreeId): Promise<BaseFiles> {
  const files = await reader.list(base)
  const decoder = new TextDecoder()
  return {
    files,
    folders: listFolders(files.keys()),
    async read(path) {
      const bytes = files.has(path) ? await reader.read(base, path, bytesMax) : undefined
      return bytes === undefined ? '' : decoder.decode(bytes)
    },
  }
}

export function listFolders(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

export const isIn = ({ folder, deep }: Root, path: string): boolean =>
  path.startsWith(folder) && (deep || !path.includes('/', folder.length))

/** The top folder of the package that contains the file, or the files directly in the package. */
export function rootAround(path: string, packageFolder: string, why: string): Root {
  const end = path.indexOf('/', packageFolder.length)
  return end < 0
    ? { folder: packageFolder, deep: false, why }
    : { folder: path.slice(0, end + 1), deep: true, why }
}
