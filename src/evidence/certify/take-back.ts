/** Trees between the base and the candidate, as files to be put over the candidate. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import type { Overlay, PutFile } from '../parts.ts'
import { RefusedError } from '../refused-error.ts'

const fileBytesMax = 64 * 1024 * 1024

/**
 * These paths as the base has them. What is removed comes first, since a folder may take its place. `unopened`:
 * those too, unless they are too large.
 */
export async function takeBack(
  reader: TreeReader,
  base: TreeId,
  needed: readonly string[],
  unopened: readonly string[] = [],
): Promise<Overlay> {
  const paths = [...needed, ...unopened]
  if (paths.length === 0) return new Map()
  const mayStay = new Set(unopened)
  const files = await reader.list(base)
  const gone = paths.filter((path) => !files.has(path))
  const puts = new Map<string, PutFile | null>(gone.map((path) => [path, null]))
  for (const path of paths) {
    const kind = files.get(path)?.kind
    if (kind === undefined) continue
    const content = kind === 'other' ? undefined : await reader.read(base, path, fileBytesMax)
    if (content === undefined && mayStay.has(path)) continue
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
