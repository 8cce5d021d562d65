/**
 * Changes that are certainly harmless: a comment line appended to a source file. Nothing else is certain:
 * formatters care about white space, linters about names, and programs read their own documents.
 */

import { type Family, findLanguageFamily } from '../mask-code.ts'
import type { OverlayFile } from '../parts.ts'
import type { GoodWork } from './calibrate.ts'
import { shuffle } from './choose-defects.ts'
import type { SourceText } from './planter.ts'

const commentMarks: Readonly<Record<Family, string>> = {
  script: '//',
  python: '#',
  ruby: '#',
  go: '//',
  rust: '//',
  java: '//',
}

const encoder = new TextEncoder()

/** Undefined: it is not code, or its last line would become part of the comment. */
export function withComment({ path, text, kind = 'file' }: SourceText): OverlayFile | undefined {
  const family = findLanguageFamily(path)
  if (family === undefined || !text.endsWith('\n')) return undefined
  return { content: encoder.encode(`${text}${commentMarks[family]} End of file.\n`), kind }
}

export function harmlessChanges(
  files: readonly SourceText[],
  random: () => number,
  max: number,
): readonly GoodWork[] {
  return shuffle(files, random)
    .flatMap((file): GoodWork[] => {
      const put = withComment(file)
      if (put === undefined) return []
      const what = `a comment at the end of ${file.path}`
      return [{ what, overlay: new Map([[file.path, put]]) }]
    })
    .slice(0, max)
}
