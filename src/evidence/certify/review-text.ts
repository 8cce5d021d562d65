/**
 * Renders a review as text: what needs an approval, then the work, each with an exact list of what is not shown.
 *
 * A file is shown completely or not at all, so that no reader mistakes a truncated diff for a complete one.
 */

import { plural } from '../../loop/excerpt/plural.ts'
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
  /** How many files that need an approval are not in the text. */
  readonly firstHidden: number
}

export function renderReview({ first, work }: Review, limits: ReviewLimits): ReviewText {
  const firstPart = section('Changed outside the work', first, limits.firstBytes)
  const workPart = section('The work', work, limits.workBytes)
  return {
    text: [firstPart.text, workPart.text].filter((text) => text !== '').join('\n\n'),
    firstHidden: firstPart.hidden,
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
  const head = `${title} (${countFiles(files)}${hidden.length === 0 ? '' : `, ${shown.length} shown`}):`
  return { text: [head, ...shown, ...hiddenLines(hidden)].join('\n'), hidden: hidden.length }
}

function hiddenLines(hidden: readonly FileDiff[]): readonly string[] {
  if (hidden.length === 0) return []
  const bytes = hidden.reduce((sum, { patch }) => sum + Buffer.byteLength(patch), 0)
  const more = hidden.length - namesMax
  return [
    `Not shown: ${countFiles(hidden)}, ${bytes.toLocaleString('en-US')} bytes:`,
    ...hidden
      .slice(0, namesMax)
      .map(
        ({ path, patch }) =>
          `  ${path} (${Buffer.byteLength(patch).toLocaleString('en-US')} bytes)`,
      ),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

const countFiles = ({ length }: readonly FileDiff[]): string => plural(length, 'file')
