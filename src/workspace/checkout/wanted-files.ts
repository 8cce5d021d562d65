/** What a checkout is to hold: a tree, with what is laid over it. */

import { LoopError } from '../../loop/index.ts'
import { asText, type Bytes, fromText, show } from '../bytes.ts'
import { isReserved } from '../git/reserved-names.ts'
import { hashBytes } from './hash-file.ts'
import { keepable } from './kept-paths.ts'
import type { Wanted } from './sweep.ts'
import { type ContentHash, foldersOf, type SourceFile, type TreeFiles } from './tree-source.ts'

export interface LaidFile {
  readonly content: Uint8Array
  readonly kind: SourceFile['kind']
}

/** By paths for people; null: taken away. */
export type LaidOver = ReadonlyMap<string, LaidFile | null>

export interface WantedFiles extends Wanted {
  readonly laid: ReadonlyMap<Bytes, LaidFile>
}

export interface WantedOptions {
  readonly over: LaidOver
  readonly keep: readonly string[]
  readonly apart: ReadonlySet<Bytes>
  readonly hash: ContentHash
}

export function wantedFiles(tree: TreeFiles, options: WantedOptions): WantedFiles {
  const { over, apart, hash } = options
  const files = new Map(tree.files)
  const laid = new Map<Bytes, LaidFile>()
  const empty = new Set(tree.folders)
  for (const folder of foldersOf(tree.files.keys())) empty.delete(folder)
  const odd = over.size === 0 ? new Map<string, Bytes>() : oddPaths(tree)
  for (const [shown, file] of over) {
    const path = odd.get(shown) ?? checked(shown)
    if (file === null) files.delete(path)
    else {
      makeWay(files, empty, tree, path)
      files.set(path, { kind: file.kind, content: hashBytes(file.content, hash) })
      laid.set(path, file)
    }
  }
  for (const path of files.keys()) if (isIn(apart, path)) files.delete(path)
  const folders = foldersOf([...files.keys(), ...apart, ...empty])
  for (const path of empty) if (!isIn(apart, path)) folders.add(path)
  const keep = keepable(options.keep, { files, folders }, apart)
  return { files, folders, apart, laid, keep, passages: foldersOf(keep) }
}

/** Paths that stand for bytes which are no text. */
export function oddPaths({ files }: TreeFiles): ReadonlyMap<string, Bytes> {
  const odd = [...files.keys()].filter(
    (path) => !/^[ -~]*$/.test(path) && asText(path) === undefined,
  )
  return new Map(odd.map((path) => [show(path), path]))
}

function checked(shown: string): Bytes {
  const path = fromText(shown)
  const isPath = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  if (isPath && !path.includes('\0') && !isReserved(path)) return path
  throw new LoopError(
    'bad-request',
    `${JSON.stringify(shown)} is no path of a file in a tree. Give it from the top, without . and ..`,
  )
}

/** A file is where a folder was, or in what was a file. */
function makeWay(
  files: Map<Bytes, SourceFile>,
  empty: Set<Bytes>,
  tree: TreeFiles,
  path: Bytes,
): void {
  for (const folder of [...foldersOf([path]), path]) {
    files.delete(folder)
    empty.delete(path)
  }
  if (!tree.folders.has(path)) return
  for (const other of files.keys()) if (other.startsWith(`${path}/`)) files.delete(other)
  for (const other of empty) if (other.startsWith(`${path}/`)) empty.delete(other)
}

function isIn(apart: ReadonlySet<Bytes>, path: Bytes): boolean {
  if (apart.size === 0) return false
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (apart.has(path.slice(0, end))) return true
  }
  return false
}
