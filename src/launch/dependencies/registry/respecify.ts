/** Ranges of a manifest that name git or an address, replaced by our addresses for the approved archives. */

import { z } from 'zod'

export type Respecify = (name: string, range: string) => string | undefined

const ranges = z.record(z.string(), z.string())
const members = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'resolutions',
]

/** In place. */
export function respecifyAll(manifest: object, respecify: Respecify): void {
  for (const member of members) {
    const found = ranges.safeParse(Reflect.get(manifest, member))
    if (!found.success) continue
    const changed = Object.entries(found.data).map(([name, range]) => [
      name,
      respecify(name, range) ?? range,
    ])
    Reflect.set(manifest, member, Object.fromEntries(changed))
  }
}

/** The text of a `package.json`; as it is where there is nothing to replace. */
export function respecifyManifest(text: string, respecify: Respecify): string {
  const parsed = z.looseObject({}).safeParse(parseJson(text))
  if (!parsed.success) return text
  const before = JSON.stringify(parsed.data)
  respecifyAll(parsed.data, respecify)
  return JSON.stringify(parsed.data) === before
    ? text
    : `${JSON.stringify(parsed.data, undefined, 2)}\n`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Neither a version nor a path: `user/repo`, `git+https://…`, `https://…/a.tgz`. */
export const isForeignRange = (range: string): boolean =>
  /[/:]/.test(range) && !/^(?:npm|file|link|portal|workspace|catalog|patch):|^[./~]/.test(range)
