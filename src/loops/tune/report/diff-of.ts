/** Edits as people read them. */

import type { Edit } from '../compose/option.ts'

/** Each edit as a hunk: the current text removed, the proposed one added. */
export const diffOf = (edits: readonly Edit[]): string =>
  edits
    .flatMap(({ file, section, current, proposed }) => [
      `--- ${file}`,
      `+++ ${file}`,
      `@@ ${section.replaceAll(/\s+/g, ' ')} @@`,
      ...linesOf(current).map((line) => `-${line}`),
      ...linesOf(proposed).map((line) => `+${line}`),
    ])
    .join('\n')

const linesOf = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n')
