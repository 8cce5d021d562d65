/** Trees between the base and the candidate, as files to be put over the candidate. */

import type { TreeId } from '../../loop/index.ts'
import type { Overlay, PutFile, TreeReader } from '../parts.ts'
import { RefusedError } from '../refused-error.ts'

const fileBytesMax = 64 * 1024 * 1024

/** These paths as the base has them. What is removed comes first, since a folder may take its place. */
export async function takeBack(
  reader: TreeReader,
  base: TreeId,
  paths: readonly string[],
): Promise<Overlay> {
  if (paths.length === 0) return new Map()
  const files = await reader.list(base)
  const gone = paths.filter((path) => !files.has(path))
  const puts = new Map<string, PutFile | null>(gone.map((path) => [path, null]))
  for (const path of paths) {
    const kind = files.get(path)?.kind
    if (kind === undefined) continue
    const content = kind === 'other' ? undefined : await reader.read(base, path, fileBytesMax)
    if (content === undefined || kind === 'other') throw cannotPutBack(path)
    puts.set(path, { content, kind })
  }
  return puts
}

const cannotPutBack = (path: string): RefusedError =>
  new RefusedError({
    code: 'sealed-changed',
    message: `${path} was changed and cannot be put back for a control run: it is a submodule or larger than 64 MiB. Restore it.`,
  })
