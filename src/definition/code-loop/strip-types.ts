/**
 * Converts TypeScript to JavaScript by erasing types, so that lines and columns stay the same. Syntax that cannot be
 * erased (enums, namespaces…) is refused, with advice what to write instead.
 */

import { createRequire } from 'node:module'
import { LoopError } from '../../loop/index.ts'

interface Amaro {
  transformSync(source: string, options: { readonly mode: 'strip-only' }): { readonly code: string }
}

/** Loaded on first use, because loading takes a moment. It ships no type declarations. */
let amaro: Amaro | undefined

export function stripTypes(source: string, file: string): string {
  amaro ??= createRequire(import.meta.url)('amaro') as Amaro
  try {
    return amaro.transformSync(source, { mode: 'strip-only' }).code
  } catch (error) {
    // It throws text: a message, then an excerpt of the source.
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

/** `:line:column` of the marked position, or empty. */
function placeIn(text: string): string {
  const lines = text.split('\n')
  const marked = lines.findIndex((line) => /^\s*:\s.*\^/.test(line))
  const [, number] = lines[marked - 1]?.match(/^\s*(\d+) \|/) ?? []
  const mark = lines[marked]
  if (number === undefined || mark === undefined) return ''
  // The source line starts after `: `.
  return `:${number}:${mark.indexOf('^') - mark.indexOf(':') - 1}`
}

const advice: readonly (readonly [RegExp, string])[] = [
  [/enum/, ' Write a union of strings: type Color = "red" | "green".'],
  [/parameter property/, ' Declare the field and assign it in the constructor.'],
  [/namespace|module/, ' Write functions and constants, or a separate module.'],
  [/import equals|export assignment|export equals/, ' Write import … from "…" and export.'],
]

const adviceFor = (reason: string): string =>
  advice.find(([pattern]) => pattern.test(reason) && reason.includes('not supported'))?.[1] ?? ''
