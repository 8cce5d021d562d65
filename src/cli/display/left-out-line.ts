/** What checks may have seen and no commit has, in one line for people. */

import { visible } from './render.ts'

const shownMax = 5

export function leftOutLine(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined
  const more = paths.length > shownMax ? ` and ${paths.length - shownMax} more` : ''
  const named = paths.slice(0, shownMax).join(', ')
  return visible(
    `ignored since this run began, so in no commit, though its checks saw it: ${named}${more}`,
  )
}
