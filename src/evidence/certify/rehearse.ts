/**
 * The checks once more, on the work as the base would have judged it: sealed things as they were, without
 * the tests that the work brings, and with a comment more at the end of each file of code that it changed.
 * New tests are free, so they must not be what makes the old ones pass; and what only works as long as its
 * files are exactly those that were delivered works for nobody else.
 */

import { withComment } from '../calibrate/harmless-changes.ts'
import { familyOf } from '../mask-code.ts'
import type { OpenCheck, Overlay, PutFile } from '../parts.ts'
import { plantedCharsMax } from '../planter.ts'
import type { SealedChanges } from '../seals/sealed-change.ts'
import type { Certifying } from './certifier.ts'
import { isGood } from './concerns.ts'
import { differing } from './consult.ts'
import { type Ran, type RunRequest, runChecks } from './run-checks.ts'

/** So many get a comment (E9). */
const commentsMax = 40

export async function rehearse(
  certifying: Certifying,
  run: Omit<RunRequest, 'tree'>,
  changed: SealedChanges,
  checks: readonly OpenCheck[],
): Promise<readonly Ran[]> {
  if (checks.length === 0) return []
  const request = { ...run, tree: certifying.tree, over: await overlayOf(certifying, changed) }
  const first = await runChecks(request, checks)
  // One that answers now so, now so is not held against the work here.
  return first.every(isGood) ? first : await runChecks(request, checks)
}

async function overlayOf(
  { parts: { reader }, base, tree }: Certifying,
  { overlay, freshTests }: SealedChanges,
): Promise<Overlay> {
  const over = new Map<string, PutFile | null>()
  const fresh = new Set(freshTests)
  const files = await reader.list(tree)
  const code = (await differing(reader, base, tree)).filter(
    (path) => familyOf(path) !== undefined && !fresh.has(path) && !overlay.has(path),
  )
  for (const path of code.slice(0, commentsMax)) {
    const kind = files.get(path)?.kind
    if (kind !== 'file' && kind !== 'executable') continue
    const bytes = await reader.read(tree, path, plantedCharsMax)
    const text = bytes === undefined ? '' : new TextDecoder().decode(bytes)
    const put = withComment({ path, text, kind })
    if (put !== undefined) over.set(path, put)
  }
  for (const path of fresh) over.set(path, null)
  for (const [path, put] of overlay) over.set(path, put)
  // What is taken away comes first.
  const ordered = [...over].toSorted(([, a], [, b]) => Number(a !== null) - Number(b !== null))
  return new Map(ordered)
}
