/**
 * A comment at the end of files of the work and of the tests that went from red to green: what works does so with
 * one comment more. Code that recognises the bytes of either behaves differently.
 */

import type { Overlay, PutFile } from '../parts.ts'
import { withHarmlessComment } from '../planting/index.ts'
import type { Examining } from './certifier.ts'
import type { ComparedTests } from './compare-tests.ts'

/** So many files get a comment (E9). */
const commentsMax = 80
const bytesMax = 4 * 1024 * 1024

/** Put over the candidate, with `over`. */
export async function withComments(
  { parts: { reader }, tree }: Examining,
  over: Overlay,
  work: readonly string[],
  compared: ReadonlyMap<string, ComparedTests>,
): Promise<Overlay> {
  const red = [...compared.values()].flatMap(({ redToGreen }) => redToGreen)
  const paths = [...new Set([...red.map(({ file }) => file), ...work])]
  const files = await reader.list(tree)
  const commented = new Map<string, PutFile | null>(over)
  for (const path of paths.slice(0, commentsMax)) {
    const put = over.get(path)
    const kind = put === undefined ? files.get(path)?.kind : put?.kind
    if (kind !== 'file' && kind !== 'executable') continue
    const bytes = put?.content ?? (await reader.read(tree, path, bytesMax))
    const text = bytes && withHarmlessComment(path, new TextDecoder().decode(bytes))
    if (text !== undefined) commented.set(path, { kind, content: new TextEncoder().encode(text) })
  }
  return commented
}
