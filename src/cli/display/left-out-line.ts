/** Ignored files that checks may have read but no commit contains, in one line. */

import { visible } from './render.ts'

const shownMax = 5

export function leftOutLine(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined
  const more = paths.length > shownMax ? ` and ${paths.length - shownMax} more` : ''
  const named = paths.slice(0, shownMax).join(', ')
  return visible(
    `ignored by git since this run began, so not committed, but visible to its checks: ${named}${more}`,
  )
}
