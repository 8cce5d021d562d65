/** The two trees of a classification, what differs between them, and the decision about each path. */

import type { TreeFile } from '../../engine/index.ts'
import { type Classify, createClassify } from '../seals/classify.ts'
import type { ChangeClass, ClassifiedChange, ClassifyRequest } from './scope.ts'

export interface Decision {
  readonly class: ChangeClass
  readonly why: string
  readonly keys?: readonly string[]
}

export interface Trees extends ClassifyRequest {
  readonly before: ReadonlyMap<string, TreeFile>
  readonly after: ReadonlyMap<string, TreeFile>
  readonly differing: readonly string[]
  /** By file name alone. */
  readonly byPath: Classify
  /** Undefined: it does not exist, is a link, is not text, or is too long. */
  textOfBase(path: string): Promise<string | undefined>
  textOfTree(path: string): Promise<string | undefined>
}

const textBytesMax = 4 * 1024 * 1024

export async function openTrees(request: ClassifyRequest): Promise<Trees> {
  const { reader, base, tree } = request
  const [before, after] = await Promise.all([reader.list(base), reader.list(tree)])
  const textIn =
    (id: typeof base, files: typeof before) =>
    async (path: string): Promise<string | undefined> => {
      if (!isPlain(files.get(path))) return undefined
      const bytes = await reader.read(id, path, textBytesMax)
      return bytes === undefined ? undefined : toText(bytes)
    }
  const has = (path: string): boolean => before.has(path) || after.has(path)
  return {
    ...request,
    before,
    after,
    differing: differingPaths(before, after),
    byPath: createClassify({}, { has, loaded: new Map() }),
    textOfBase: textIn(base, before),
    textOfTree: textIn(tree, after),
  }
}

/** Undefined: not UTF-8. */
function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function differingPaths(
  before: ReadonlyMap<string, TreeFile>,
  after: ReadonlyMap<string, TreeFile>,
): readonly string[] {
  const paths: string[] = []
  for (const [path, file] of before) {
    const is = after.get(path)
    if (file.content !== is?.content || file.kind !== is.kind) paths.push(path)
  }
  for (const path of after.keys()) if (!before.has(path)) paths.push(path)
  return paths.toSorted()
}

export const isPlain = (file: TreeFile | undefined): boolean =>
  file?.kind === 'file' || file?.kind === 'executable'

export function whatChanged({ before, after }: Trees, path: string): ClassifiedChange['what'] {
  if (!before.has(path)) return 'added'
  return after.has(path) ? 'changed' : 'removed'
}

/** If reads are unknown, everything counts as read. */
export const isRead = ({ readOnBase, readOnTree }: Trees, path: string): boolean =>
  readOnBase === undefined ||
  readOnTree === undefined ||
  readOnBase.has(path) ||
  readOnTree.has(path)

export const isReadKnown = ({ readOnBase, readOnTree }: Trees): boolean =>
  readOnBase !== undefined && readOnTree !== undefined
