/**
 * A review as text: what needs an approval, then the work, each with what is not shown of it, exactly.
 *
 * A file is shown whole or not at all, so that no diff ends where a reader believes it complete.
 */

import type { FileDiff, Review } from './review.ts'

export interface ReviewLimits {
  readonly firstBytes: number
  readonly workBytes: number
}

export const unlimited: ReviewLimits = {
  firstBytes: Number.POSITIVE_INFINITY,
  workBytes: Number.POSITIVE_INFINITY,
}

export interface ReviewText {
  /** Empty: nothing differs. */
  readonly text: string
  /** Files that need an approval, and are not in the text. */
  readonly firstHidden: number
}

export function renderReview({ first, work }: Review, limits: ReviewLimits): ReviewText {
  const above = section('Changed outside the work', first, limits.firstBytes)
  const below = section('The work', work, limits.workBytes)
  return {
    text: [above.text, below.text].filter((text) => text !== '').join('\n\n'),
    firstHidden: above.hidden,
  }
}

const namesMax = 20

function section(
  title: string,
  files: readonly FileDiff[],
  bytesMax: number,
): { readonly text: string; readonly hidden: number } {
  if (files.length === 0) return { text: '', hidden: 0 }
  let left = bytesMax
  const shown: string[] = []
  const hidden: FileDiff[] = []
  for (const file of files) {
    const bytes = Buffer.byteLength(file.patch)
    if (bytes > left) hidden.push(file)
    else {
      left -= bytes
      shown.push(
        file.patch === '' ? `${file.path}: no difference in content` : file.patch.trimEnd(),
      )
    }
  }
  const head = `${title} (${countOf(files)}${hidden.length === 0 ? '' : `, ${shown.length} shown`}):`
  return { text: [head, ...shown, ...hiddenLines(hidden)].join('\n'), hidden: hidden.length }
}

function hiddenLines(hidden: readonly FileDiff[]): readonly string[] {
  if (hidden.length === 0) return []
  const bytes = hidden.reduce((sum, { patch }) => sum + Buffer.byteLength(patch), 0)
  const more = hidden.length - namesMax
  return [
    `Not shown: ${countOf(hidden)}, ${bytes.toLocaleString('en-US')} bytes:`,
    ...hidden
      .slice(0, namesMax)
      .map(
        ({ path, patch }) =>
          `  ${path} (${Buffer.byteLength(patch).toLocaleString('en-US')} bytes)`,
      ),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

const countOf = ({ length }: readonly FileDiff[]): string =>
  length === 1 ? '1 file' : `${length} files`
