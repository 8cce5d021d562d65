/**
 * Changes that surely do no harm: one more line of comment at the end of a file of source. Nothing else is
 * sure: formatters mind white space, linters mind names, and programs read their own documents.
 */

import { shuffled } from '../choose-defects.ts'
import { type Family, familyOf } from '../mask-code.ts'
import type { SourceText } from '../planter.ts'
import type { GoodWork } from './calibrate.ts'

const marks: Readonly<Record<Family, string>> = {
  script: '//',
  python: '#',
  ruby: '#',
  go: '//',
  rust: '//',
  java: '//',
}

const encoder = new TextEncoder()

export function harmlessChanges(
  files: readonly SourceText[],
  random: () => number,
  max: number,
): readonly GoodWork[] {
  return shuffled(files, random)
    .flatMap(({ path, text, kind = 'file' }): GoodWork[] => {
      const family = familyOf(path)
      // Without an end of line the comment would be part of the last one.
      if (family === undefined || !text.endsWith('\n')) return []
      const content = encoder.encode(`${text}${marks[family]} End of file.\n`)
      return [
        { what: `a comment at the end of ${path}`, overlay: new Map([[path, { content, kind }]]) },
      ]
    })
    .slice(0, max)
}
