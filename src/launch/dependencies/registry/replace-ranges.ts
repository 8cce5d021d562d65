/** Replaces the ranges of a manifest that refer to git or a URL by endpoint URLs of approved archives. */

import { z } from 'zod'

export type ReplaceRange = (name: string, range: string) => string | undefined

const ranges = z.record(z.string(), z.string())
const members = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'resolutions',
]

/** Changes the manifest in place. */
export function replaceRanges(manifest: object, replaceRange: ReplaceRange): void {
  for (const member of members) {
    const found = ranges.safeParse(Reflect.get(manifest, member))
    if (!found.success) continue
    const changed = Object.entries(found.data).map(([name, range]) => [
      name,
      replaceRange(name, range) ?? range,
    ])
    Reflect.set(manifest, member, Object.fromEntries(changed))
  }
}

/** Takes and returns the text of a `package.json`; returns it unchanged if there is nothing to replace. */
export function replaceRangesInManifest(text: string, replaceRange: ReplaceRange): string {
  const parsed = z.looseObject({}).safeParse(parseJson(text))
  if (!parsed.success) return text
  const before = JSON.stringify(parsed.data)
  replaceRanges(parsed.data, replaceRange)
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

/** True for a range that is neither a version nor a path: `user/repo`, `git+https://…`, `https://…/a.tgz`. */
export const isForeignRange = (range: string): boolean =>
  /[/:]/.test(range) && !/^(?:npm|file|link|portal|workspace|catalog|patch):|^[./~]/.test(range)
