/** Every rejection says what to do next, judged by its text in the source. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { saysWhatNext } from './next-step.ts'

const source = join(import.meta.dirname, '../src')

interface Rejection {
  readonly place: string
  /** The texts that its message consists of; undefined: it passes on a foreign message. */
  readonly text: string | undefined
}

const files = readdirSync(source, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .filter((name) => !name.startsWith('testing/'))

const rejections = files.flatMap((file) =>
  rejectionsIn(file, readFileSync(join(source, file), 'utf8')),
)

describe('a rejection', () => {
  test('says what to do next', () => {
    const mute = rejections.filter(({ text }) => text !== undefined && !saysWhatNext(text))
    expect(mute.map(({ place, text }) => `${place} ${text}`)).toEqual([])
  })

  test('mostly has its own words', () => {
    const handedOn = rejections.filter(({ text }) => text === undefined)
    expect(rejections.length).toBeGreaterThan(300)
    expect(handedOn.length).toBeLessThan(rejections.length / 10)
  })

  test.each([
    ['The file is gone.', false],
    ['Nothing was found for "Use".', false],
    ['The file is gone. Put it back.', true],
    ['The file is gone: name another with --file.', true],
    ['It must be a whole number.', true],
  ])('%j is judged', (message, verdict) => expect(saysWhatNext(message)).toBe(verdict))
})

function rejectionsIn(file: string, text: string): readonly Rejection[] {
  return [...text.matchAll(/new LoopError\(/g)].map(({ index }) => {
    const call = text.slice(index, closingOf(text, index + 'new LoopError'.length))
    const place = `${file}:${text.slice(0, index).split('\n').length}`
    return { place, text: wordsOf(call, text, index) }
  })
}

/** Of the message: its own words, and those of the names in it. */
function wordsOf(call: string, text: string, index: number): string | undefined {
  const message = call.replace(/^new LoopError\(\s*[^,]*,/, '').replace(/,\s*\{ cause[^}]*\}/, '')
  const all = wordsIn(message, text, index, 2)
  // Only a position before it, or a separator between several messages.
  return all.split(/[^a-z]+/i).filter((word) => word.length > 1).length < 3 ? undefined : all
}

function wordsIn(code: string, text: string, index: number, depth: number): string {
  const names = depth === 0 ? [] : [...withoutWords(code).matchAll(/\b[a-z]\w*\b/gi)].map(String)
  const named = [...new Set(names)].map((name) => {
    const found = declaredAs(name, text, index)
    return found === undefined ? '' : wordsIn(found, text, index, depth - 1)
  })
  return [literalsIn(code), adviceIn(code), ...named].filter((part) => part !== '').join(' ')
}

/** The code of the nearest constant or function with this name. */
function declaredAs(name: string, text: string, index: number): string | undefined {
  const pattern = new RegExp(`\\b(?:const ${name}\\b[^=\\n]*=|function ${name}\\()`, 'g')
  const found = [...text.matchAll(pattern)]
  const nearest = found.findLast((one) => one.index < index) ?? found[0]
  if (nearest === undefined) return undefined
  const rest = text.slice(nearest.index + nearest[0].length, nearest.index + 900)
  if (nearest[0].startsWith('function')) return rest.split('\n}')[0]
  return rest.split(/\n\n|\n\s*(?=throw |return |if \(|const )/)[0]
}

/** A name like this is advice, wherever its words are. */
function adviceIn(code: string): string {
  return /\b(?:\w*[aA]dvice\w*|todo|then|whatToDo|fix)\b/.test(code.replaceAll(/'[^'\n]*'/g, ''))
    ? 'Use the advice.'
    : ''
}

/** What a text consists of besides its own words. */
function withoutWords(code: string): string {
  return code
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, ' ')
    .replaceAll(/`(?:[^`\\]|\\.)*`/g, (template) =>
      [...template.matchAll(/\$\{([^{}]*)\}/g)].map(([, inner]) => inner).join(' '),
    )
}

/** An interpolated value stands for a foreign message or a name. */
function literalsIn(code: string): string {
  return [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, plain, template]) => plain ?? template ?? '')
    .join(' ')
    .replaceAll(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, '…')
}

function closingOf(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return at
  }
  return text.length
}
