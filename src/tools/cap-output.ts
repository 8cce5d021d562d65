/** Shortens output that is too long for callers to its two ends, and says where the rest is. */

import { defined, type Json, type ToolResult } from '../loop/index.ts'
import type { OutputFolder } from './output-folder.ts'

/** Output that is already in a file is only shortened. */
export async function capOutput(
  result: ToolResult,
  charsMax: number,
  folder: OutputFolder | undefined,
): Promise<ToolResult> {
  const text = toText(result.output)
  if (text.length <= charsMax) return result
  const spilled = result.spilled ?? (await folder?.keep(text))
  const omitted = text.length - charsMax
  const where =
    spilled === undefined
      ? 'They were not kept: ask for less at a time.'
      : `The whole is in ${spilled.file}: read it with offset and limit, or search it with grep.`
  return {
    ...result,
    output: keepBothEnds(
      text,
      charsMax,
      `[${omitted} of ${text.length} characters are left out. ${where}]`,
    ),
    ...defined({ spilled }),
  }
}

/** The start and the end, with a note in between. */
export function keepBothEnds(text: string, charsMax: number, note: string): string {
  const half = Math.floor(charsMax / 2)
  return `${cutEnd(text, half)}\n\n${note}\n\n${cutStart(text, charsMax - half)}`
}

/** The first characters; never half of one. */
export function cutEnd(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(charsMax - 1))
  return text.slice(0, isHalf ? charsMax - 1 : charsMax)
}

/** The last characters; never half of one. */
export function cutStart(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const from = text.length - charsMax
  const isHalf = /[\uDC00-\uDFFF]/.test(text.charAt(from))
  return text.slice(isHalf ? from + 1 : from)
}

const toText = (output: Json): string =>
  typeof output === 'string' ? output : JSON.stringify(output)
