/** Wraps text to the width of a terminal. */

import type { Terminal } from '../terminal.ts'
import { visible } from './render.ts'

/** Built from a string, since lint rejects a control character in a regular expression. */
const colors = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')

/** Colors have no width. */
const roomOf = (text: string): number => text.replaceAll(colors, '').length

/** Wraps at spaces; a word longer than a line is not broken, so that it can be copied. */
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

/** Wraps a line that may be indented and colored; continuation lines are indented further. */
export function wrappedLine(text: string, width: number): string[] {
  const [indent = ''] = /^ */.exec(text) ?? []
  const room = Math.max(roomMin, width - indent.length - 2)
  return wrapped(text.slice(indent.length), room).map((line, index) =>
    `${indent}${index === 0 ? '' : '  '}${line}`.trimEnd(),
  )
}

/** The same, but a command at the end is put on a separate line and not wrapped. */
export function wrappedAdvice(text: string, width: number): string[] {
  const at = text.length > width ? text.indexOf('Run: ') : -1
  if (at === -1) return wrapped(text, width)
  const before = text.slice(0, at).trimEnd()
  return [...(before === '' ? [] : wrapped(before, width)), text.slice(at)]
}

/** A message: wrapped on a terminal, one line elsewhere. */
export const renderNotice = (
  text: string,
  { live, width }: Pick<Terminal, 'live' | 'width'>,
): string[] =>
  live ? wrapped(visible(text), width()).map((line) => line.trimEnd()) : [visible(text)]

/** What a loop file may do, a line each and never cut, since a person decides about it. */
export function renderPowers(
  powers: readonly string[],
  { live, width }: Pick<Terminal, 'live' | 'width'>,
): string[] {
  const room = live ? width() - 5 : Number.POSITIVE_INFINITY
  return powers.flatMap((power) =>
    wrapped(visible(power), room).map((line, index) => `${index === 0 ? '  ' : '    '}${line}`),
  )
}
