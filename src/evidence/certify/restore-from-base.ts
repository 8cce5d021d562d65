/** Creates trees between the base and the candidate, as overlays for the candidate. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import type { Overlay, OverlayFile } from '../parts.ts'
import { RefusedError } from '../refused-error.ts'
import { type CompareTexts, withoutAddedTests } from '../scope/index.ts'

const fileBytesMax = 64 * 1024 * 1024
const textBytesMax = 4 * 1024 * 1024

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

/** Files of the work without the tests that it adds inside them: like new test files, these are not the work. */
export async function takeBackAddedTests(
  reader: TreeReader,
  base: TreeId,
  tree: TreeId,
  work: readonly string[],
  onlyAdds: CompareTexts,
): Promise<Overlay> {
  const puts = new Map<string, OverlayFile>()
  const files = await reader.list(tree)
  for (const path of work.filter((one) => /\.(?:rs|[cm]?[jt]sx?)$/.test(one))) {
    const kind = files.get(path)?.kind
    if (kind !== 'file' && kind !== 'executable') continue
    const [before, after] = await Promise.all(
      [base, tree].map((one) => reader.read(one, path, textBytesMax)),
    )
    const text = new TextDecoder().decode(after)
    const own = await withoutAddedTests(path, new TextDecoder().decode(before), text, onlyAdds)
    if (own !== text) puts.set(path, { kind, content: new TextEncoder().encode(own) })
  }
  return puts
}

const cannotRestore = (path: string): RefusedError =>
  new RefusedError({
    code: 'sealed-changed',
    message: `${path} was changed and cannot be restored for a control run: it is a submodule or larger than 64 MiB. Restore it.`,
  })
