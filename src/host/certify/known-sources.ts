/** Whether everything that a lockfile names may be installed. What may not is refused before anything runs. */

import type { DependencyItem } from '../../evidence/index.ts'
import { shown } from '../registry/lockfile-reading.ts'
import type { LayerPlan } from './plan-layer.ts'
import { refused } from './run-manager.ts'

/** `items`: what of it takes an approval. */
export function requireKnownSources(
  { lockfile, reading, outside, registries, npmrc }: LayerPlan,
  items: readonly DependencyItem[] = [],
): void {
  const { file } = lockfile
  if (reading.problem !== undefined)
    throw refused(`${file} cannot be read: ${reading.problem}. Fix it`)
  if (outside.length > 0) {
    throw refused(
      `${file} takes packages from outside of the repository: ${few(outside)}. Move them inside`,
    )
  }
  const what = `${file} takes packages from git or from addresses that are not a registry of yours`
  if (reading.foreign.length > 0) {
    throw refused(
      `${what}, and they cannot be approved: ${few(reading.foreign)}. ${lockfile.stack === 'node' ? 'Name an exact commit, or publish them to a registry' : 'Publish them to a registry'}`,
    )
  }
  const unapproved = items.filter(({ approved }) => approved === undefined)
  if (unapproved.length > 0) {
    const [first] = unapproved
    throw refused(
      `${what}, and nobody has approved them: ${few(unapproved.map(({ text }) => text))}. Approve each one ` +
        `(loopctl certify at a terminal, or loopctl certify --approve '${first?.id}')`,
    )
  }
  const unknown = registries.unknown(npmrc === undefined ? {} : { npmrc })
  if (unknown.length > 0) {
    throw refused(
      `The project's .npmrc names a registry that your own npm settings do not: ${few(unknown)}. ` +
        'If you trust it, add that line to your ~/.npmrc',
    )
  }
}

const few = (lines: readonly string[]): string =>
  `${lines.slice(0, 3).map(shown).join(', ')}${lines.length > 3 ? ` and ${lines.length - 3} more` : ''}`
