/** Trees in memory, for what reads trees without a workspace. */

import { createHash } from 'node:crypto'
import type { TreeFile, TreeReader } from '../engine/index.ts'
import type { Overlay } from '../evidence/index.ts'
import type { TreeId } from '../loop/index.ts'

/** A text is a file; a link says where to. */
export type TreeContent = string | { readonly link: string } | { readonly executable: string }

export interface MemoryTrees extends TreeReader {
  /** The same files give the same id. */
  put(files: { readonly [path: string]: TreeContent }): TreeId
  /** The tree with these files added. */
  over(tree: TreeId, overlay: Overlay): { readonly [path: string]: string }
}

interface Stored extends TreeFile {
  readonly bytes: Uint8Array
}

export function createMemoryTrees(): MemoryTrees {
  const trees = new Map<TreeId, ReadonlyMap<string, Stored>>()
  const of = (tree: TreeId): ReadonlyMap<string, Stored> => trees.get(tree) ?? new Map()
  return {
    put(files) {
      const stored = new Map(
        Object.entries(files).map(([path, content]) => [path, store(content)] as const),
      )
      const listed = [...stored].map(([path, { content, kind }]) => `${path} ${kind} ${content}`)
      const id = digest(new TextEncoder().encode(JSON.stringify(listed.toSorted()))) as TreeId
      trees.set(id, stored)
      return id
    },
    over(tree, overlay) {
      const files = new Map([...of(tree)].map(([path, { bytes }]) => [path, textOf(bytes)]))
      for (const [path, file] of overlay) {
        if (file === null) files.delete(path)
        else files.set(path, textOf(file.content))
      }
      return Object.fromEntries(files)
    },
    list: async (tree) => of(tree),
    async read(tree, path, bytesMax = Number.POSITIVE_INFINITY) {
      const bytes = of(tree).get(path)?.bytes
      return bytes === undefined || bytes.length > bytesMax ? undefined : bytes
    },
    patch: async (_before, _after, paths) => paths.map((path) => `--- ${path}\n`).join(''),
  }
}

function store(content: TreeContent): Stored {
  const [kind, text] =
    typeof content === 'string'
      ? (['file', content] as const)
      : 'link' in content
        ? (['link', content.link] as const)
        : (['executable', content.executable] as const)
  const bytes = new TextEncoder().encode(text)
  return { kind, bytes, content: digest(bytes) }
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
