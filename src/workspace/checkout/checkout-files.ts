/** The expected files of a checkout: a tree, with overrides. */

import { LoopError } from '../../loop/index.ts'
import { asText, type Bytes, fromText, toDisplay } from '../bytes.ts'
import { isReserved } from '../git/reserved-names.ts'
import { hashBytes } from './hash-file.ts'
import { filterKeepPaths } from './kept-paths.ts'
import type { ExpectedFiles } from './sweep.ts'
import { type ContentHash, collectFolders, type SourceFile, type TreeFiles } from './tree-source.ts'

export interface OverrideFile {
  readonly content: Uint8Array
  readonly kind: SourceFile['kind']
}

/** By display path; null: removed. */
export type FileOverrides = ReadonlyMap<string, OverrideFile | null>

export interface CheckoutFiles extends ExpectedFiles {
  readonly overrides: ReadonlyMap<Bytes, OverrideFile>
}

export interface CheckoutFilesOptions {
  readonly over: FileOverrides
  readonly keep: readonly string[]
  readonly managedPaths: ReadonlySet<Bytes>
  readonly hash: ContentHash
}

export function computeCheckoutFiles(
  tree: TreeFiles,
  options: CheckoutFilesOptions,
): CheckoutFiles {
  const { over, managedPaths, hash } = options
  const files = new Map(tree.files)
  const overrides = new Map<Bytes, OverrideFile>()
  const empty = new Set(tree.folders)
  for (const folder of collectFolders(tree.files.keys())) empty.delete(folder)
  const nonText = over.size === 0 ? new Map<string, Bytes>() : findNonTextPaths(tree)
  for (const [displayPath, file] of over) {
    const path = nonText.get(displayPath) ?? parsePath(displayPath)
    if (file === null) files.delete(path)
    else {
      removeConflicts(files, empty, tree, path)
      files.set(path, { kind: file.kind, content: hashBytes(file.content, hash) })
      overrides.set(path, file)
    }
  }
  for (const path of files.keys()) if (isIn(managedPaths, path)) files.delete(path)
  const folders = collectFolders([...files.keys(), ...managedPaths, ...empty])
  for (const path of empty) if (!isIn(managedPaths, path)) folders.add(path)
  const keep = filterKeepPaths(options.keep, { files, folders }, managedPaths)
  return { files, folders, managedPaths, overrides, keep, keepParents: collectFolders(keep) }
}

/** The paths that are not UTF-8, by display path. */
export function findNonTextPaths({ files }: TreeFiles): ReadonlyMap<string, Bytes> {
  const nonText = [...files.keys()].filter(
    (path) => !/^[ -~]*$/.test(path) && asText(path) === undefined,
  )
  return new Map(nonText.map((path) => [toDisplay(path), path]))
}

function parsePath(displayPath: string): Bytes {
  const path = fromText(displayPath)
  const isPath = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  if (isPath && !path.includes('\0') && !isReserved(path)) return path
  throw new LoopError(
    'bad-request',
    `${JSON.stringify(displayPath)} is not a valid file path in a tree. Use a relative path without . and ..`,
  )
}

/** Removes folders that the file replaces, and files that become folders. */
function removeConflicts(
  files: Map<Bytes, SourceFile>,
  empty: Set<Bytes>,
  tree: TreeFiles,
  path: Bytes,
): void {
  for (const folder of [...collectFolders([path]), path]) {
    files.delete(folder)
    empty.delete(path)
  }
  if (!tree.folders.has(path)) return
  for (const other of files.keys()) if (other.startsWith(`${path}/`)) files.delete(other)
  for (const other of empty) if (other.startsWith(`${path}/`)) empty.delete(other)
}

function isIn(managedPaths: ReadonlySet<Bytes>, path: Bytes): boolean {
  if (managedPaths.size === 0) return false
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (managedPaths.has(path.slice(0, end))) return true
  }
  return false
}
