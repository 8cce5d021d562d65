/** The files of trees, read by their paths. What is asked for at the same time is read at once. */

import type { TreeId } from '../../loop/index.ts'
import { type Bytes, fromText, show } from '../bytes.ts'
import type { TreeFiles, TreeSource } from './tree-source.ts'
import { oddPaths } from './wanted-files.ts'

export interface ReadTrees {
  /** By paths for people; one that is not UTF-8 stands with `\xff` for its bytes. */
  list(tree: TreeId): Promise<ReadonlyMap<string, ListedFile>>
  read(tree: TreeId, path: string, bytesMax?: number): Promise<Uint8Array | undefined>
}

export interface ListedFile {
  readonly content: string
  readonly kind: 'file' | 'executable' | 'link' | 'other'
}

const bytesMaxDefault = 4 * 1024 * 1024

interface Asked {
  readonly content: string
  readonly bytesMax: number
  resolve(bytes: Uint8Array | undefined): void
  reject(error: unknown): void
}

export function createReadTrees(source: TreeSource): ReadTrees {
  const shown = new Map<TreeId, Promise<Shown>>()
  let asked: Asked[] = []
  const showTree = (tree: TreeId): Promise<Shown> => {
    const known = shown.get(tree) ?? source.list(tree).then(shownFiles)
    shown.set(tree, known)
    known.catch(() => shown.delete(tree))
    return known
  }
  async function answer(): Promise<void> {
    const all = asked
    asked = []
    const bytesMax = Math.max(...all.map((one) => one.bytesMax))
    try {
      const found = await source.read(
        all.map(({ content }) => content),
        bytesMax,
      )
      for (const one of all) {
        const bytes = found.get(one.content)
        one.resolve(bytes === undefined || bytes.length > one.bytesMax ? undefined : bytes)
      }
    } catch (error) {
      for (const one of all) one.reject(error)
    }
  }
  return {
    list: async (tree) => (await showTree(tree)).files,
    async read(tree, path, bytesMax = bytesMaxDefault) {
      const { bytes, odd } = await showTree(tree)
      const file = bytes.files.get(odd.get(path) ?? fromText(path))
      if (file === undefined) return undefined
      return new Promise((resolve, reject) => {
        asked.push({ content: file.content, bytesMax, resolve, reject })
        if (asked.length === 1) setImmediate(() => void answer())
      })
    },
  }
}

interface Shown {
  readonly files: ReadonlyMap<string, ListedFile>
  readonly bytes: TreeFiles
  readonly odd: ReadonlyMap<string, Bytes>
}

function shownFiles(bytes: TreeFiles): Shown {
  const files = new Map<string, ListedFile>()
  for (const [path, file] of bytes.files) files.set(shownPath(path), file)
  for (const [path, content] of bytes.others) {
    files.set(shownPath(path), { content, kind: 'other' })
  }
  return { files, bytes, odd: oddPaths(bytes) }
}

const shownPath = (path: Bytes): string => (/^[ -~]*$/.test(path) ? path : show(path))
