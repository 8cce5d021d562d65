/**
 * TypeScript to JavaScript by leaving out the types: lines and columns stay what they are. What
 * cannot be left out (enums, namespaces…) is refused, with what to write instead.
 */

import { createRequire } from 'node:module'
import { LoopError } from '../../loop/index.ts'

interface Amaro {
  transformSync(source: string, options: { readonly mode: 'strip-only' }): { readonly code: string }
}

/** It has no types of its own, and takes a moment to load. */
let amaro: Amaro | undefined

export function stripTypes(source: string, file: string): string {
  amaro ??= createRequire(import.meta.url)('amaro') as Amaro
  try {
    return amaro.transformSync(source, { mode: 'strip-only' }).code
  } catch (error) {
    // What it throws is text: a message, then the place drawn in lines.
    const text = typeof error === 'string' ? error : String(error)
    const [first = ''] = text.trim().split('\n')
    const reason = first.replace(/^x /, '').replace(/ in strip-only mode$/, '')
    const place = placeIn(text)
    throw new LoopError(
      'bad-loop-file',
      `${file}${place}: ${reason.replace(/\.$/, '')}.${adviceFor(reason)}`,
    )
  }
}

/** `:line:column` of the marked place, where it is marked. */
function placeIn(text: string): string {
  const lines = text.split('\n')
  const marked = lines.findIndex((line) => /^\s*:\s.*\^/.test(line))
  const [, number] = lines[marked - 1]?.match(/^\s*(\d+) \|/) ?? []
  const mark = lines[marked]
  if (number === undefined || mark === undefined) return ''
  // The text of a line stands after `: `.
  return `:${number}:${mark.indexOf('^') - mark.indexOf(':') - 1}`
}

const advice: readonly (readonly [RegExp, string])[] = [
  [/enum/, ' Write a union of strings: type Color = "red" | "green".'],
  [/parameter property/, ' Declare the field and assign it in the constructor.'],
  [/namespace|module/, ' Write functions and constants, or a module of its own.'],
  [/import equals|export assignment|export equals/, ' Write import … from "…" and export.'],
]

const adviceFor = (reason: string): string =>
  advice.find(([pattern]) => pattern.test(reason) && reason.includes('not supported'))?.[1] ?? ''
