/** Creates trees between the base and the candidate, as overlays for the candidate. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import type { Overlay, OverlayFile } from '../parts.ts'
import { RefusedError } from '../refused-error.ts'

const fileBytesMax = 64 * 1024 * 1024

/**
 * These paths as the base has them. Removals come first, because a folder may replace a file. Also restores
 * `unopened`, unless they are too large.
 */
export async function restoreFromBase(
  reader: TreeReader,
  base: TreeId,
  needed: readonly string[],
  unopened: readonly string[] = [],
): Promise<Overlay> {
  const paths = [...needed, ...unopened]
  if (paths.length === 0) return new Map()
  const mayStay = new Set(unopened)
  const files = await reader.list(base)
  const missing = paths.filter((path) => !files.has(path))
  const puts = new Map<string, OverlayFile | null>(missing.map((path) => [path, null]))
  for (const path of paths) {
    const kind = files.get(path)?.kind
    if (kind === undefined) continue
    const content = kind === 'other' ? undefined : await reader.read(base, path, fileBytesMax)
    if (content === undefined && mayStay.has(path)) continue
    if (content === undefined || kind === 'other') throw cannotRestore(path)
    puts.set(path, { content, kind })
  }
  return puts
}

const cannotRestore = (path: string): RefusedError =>
  new RefusedError({
    code: 'sealed-changed',
    message: `${path} was changed and cannot be restored for a control run: it is a submodule or larger than 64 MiB. Restore it.`,
  })
