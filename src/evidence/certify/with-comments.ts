/**
 * A comment at the end of files of the work and of the tests that went from red to green, and in these tests what
 * they expect, stated once more with the operators of the language. Honest work passes all the same. Code that
 * recognises the bytes of either, or that changed how values are compared, does not.
 */

import type { Overlay, PutFile } from '../parts.ts'
import { plantFailures, withHarmlessComment } from '../planting/index.ts'
import type { Examining } from './certifier.ts'
import type { ComparedTests } from './compare-tests.ts'

/** So many files get a comment (E9). */
const commentsMax = 80
const bytesMax = 4 * 1024 * 1024

/** Put over the candidate, with `over`. */
export async function withComments(
  { parts, tree }: Examining,
  over: Overlay,
  work: readonly string[],
  compared: ReadonlyMap<string, ComparedTests>,
): Promise<Overlay> {
  const { reader } = parts
  const red = [...compared.values()].flatMap(({ redToGreen }) => redToGreen)
  const paths = [...new Set([...red.map(({ file }) => file), ...work])]
  const files = await reader.list(tree)
  const commented = new Map<string, PutFile | null>(over)
  for (const path of paths.slice(0, commentsMax)) {
    const put = over.get(path)
    const kind = put === undefined ? files.get(path)?.kind : put?.kind
    if (kind !== 'file' && kind !== 'executable') continue
    const bytes = put?.content ?? (await reader.read(tree, path, bytesMax))
    if (bytes === undefined) continue
    const tests = red.filter(({ file }) => file === path)
    const plain = new TextDecoder().decode(bytes)
    const restated = await plantFailures({
      file: path,
      text: plain,
      tests,
      kind: 'restated',
      marker: `planted ${parts.token()}`,
    })
    const text = withHarmlessComment(path, restated.text) ?? restated.text
    if (text !== plain) commented.set(path, { kind, content: new TextEncoder().encode(text) })
  }
  return commented
}
