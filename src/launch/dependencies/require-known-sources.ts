/** Refuses a lockfile with packages from unapproved sources, before anything runs. */

import type { DependencyItem } from '../../evidence/index.ts'
import { defined } from '../../loop/index.ts'
import type { LayerPlan } from './plan-layer.ts'
import { printable } from './registry/lockfile-reading.ts'
import { isBerry } from './registry/yarn-lockfile.ts'
import { createDependencyError } from './run-manager.ts'

/** `items`: packages that need an approval. */
export function requireKnownSources(
  { lockfile, reading, outside, registries, npmrc }: LayerPlan,
  items: readonly DependencyItem[] = [],
): void {
  const { file } = lockfile
  if (reading.problem !== undefined)
    throw createDependencyError(`${file} cannot be read: ${reading.problem}. Fix it`)
  if (outside.length > 0) {
    throw createDependencyError(
      `${file} has packages from outside the repository: ${listFew(outside)}. Move them inside`,
    )
  }
  const what = `${file} has packages from git or from URLs outside your registries`
  if (reading.foreign.length > 0) {
    throw createDependencyError(
      `${what}, and they cannot be approved: ${listFew(reading.foreign)}. ${adviceFor(lockfile.manager, reading.text)}`,
    )
  }
  const unapproved = items.filter(({ approved }) => approved === undefined)
  if (unapproved.length > 0) {
    const [first] = unapproved
    throw createDependencyError(
      `${what}, and they are not approved: ${listFew(unapproved.map(({ text }) => text))}. Approve each one ` +
        `(loopctl certify at a terminal, or loopctl certify --approve '${first?.id}')`,
    )
  }
  const unknown = registries.listUnknown(defined({ npmrc }))
  if (unknown.length > 0) {
    throw createDependencyError(
      `The project's .npmrc names a registry that your own npm settings do not: ${listFew(unknown)}. ` +
        'If you trust it, add that line to your ~/.npmrc',
    )
  }
}

/** How to make the packages installable with this manager. */
function adviceFor(manager: string, text: string): string {
  switch (manager) {
    case 'npm':
    case 'pnpm':
      return 'Pin an exact commit, or publish them to a registry'
    case 'yarn':
      return isBerry(text)
        ? 'Publish them to a registry'
        : 'Pin an exact commit, or publish them to a registry'
    case 'pip':
    case 'uv':
    case 'poetry':
      return 'Publish them to your package index, or put wheels of them into a folder that find-links of your pip.conf names, and require them by version'
    case 'cargo':
      return 'Add a registry that you trust to your ~/.cargo/config.toml ([registries.<name>] index = "sparse+https://…"); commit other packages with "cargo vendor"'
    default:
      return 'Publish them to a registry'
  }
}

const listFew = (lines: readonly string[]): string =>
  `${lines.slice(0, 3).map(printable).join(', ')}${lines.length > 3 ? ` and ${lines.length - 3} more` : ''}`
