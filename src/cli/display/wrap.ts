/** Text in lines that fit a terminal. */

import type { Terminal } from '../terminal.ts'
import { visible } from './render.ts'

/** Built from text: the escape that begins it is no letter. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')

/** Colours take no room. */
const roomOf = (text: string): number => text.replaceAll(colours, '').length

/** At spaces; a word that is longer than a line stays whole, so that it can be copied. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  let taken = 0
  for (const word of text.split(' ')) {
    const room = roomOf(word)
    if (line !== '' && taken + 1 + room > width) {
      lines.push(line)
      line = ''
    }
    taken = line === '' ? room : taken + 1 + room
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

const roomMin = 20

/** A line that may be indented and have colours: what does not fit goes on a little further in. */
export function wrappedLine(text: string, width: number): string[] {
  const [indent = ''] = /^ */.exec(text) ?? []
  const room = Math.max(roomMin, width - indent.length - 2)
  return wrapped(text.slice(indent.length), room).map((line, index) =>
    `${indent}${index === 0 ? '' : '  '}${line}`.trimEnd(),
  )
}

/** The same, but for a command at its end, which stays whole on a line of its own. */
export function wrappedAdvice(text: string, width: number): string[] {
  const at = text.length > width ? text.indexOf('Run: ') : -1
  if (at === -1) return wrapped(text, width)
  const before = text.slice(0, at).trimEnd()
  return [...(before === '' ? [] : wrapped(before, width)), text.slice(at)]
}

/** A sentence of ours: in lines that break at words on a terminal, in one line elsewhere. */
export const renderNotice = (
  text: string,
  { live, width }: Pick<Terminal, 'live' | 'width'>,
): string[] =>
  live ? wrapped(visible(text), width()).map((line) => line.trimEnd()) : [visible(text)]

/** What a loop file may do: a line each, whole and readable, since a person is to judge it. */
export function renderPowers(
  powers: readonly string[],
  { live, width }: Pick<Terminal, 'live' | 'width'>,
): string[] {
  const room = live ? width() - 5 : Number.POSITIVE_INFINITY
  return powers.flatMap((power) =>
    wrapped(visible(power), room).map((line, index) => `${index === 0 ? '  ' : '    '}${line}`),
  )
}
