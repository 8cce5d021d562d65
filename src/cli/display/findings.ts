/** What was found, for a terminal: each with a mark, and more about it below. */

import type { Style } from '../terminal.ts'
import { visible } from './render.ts'
import { wrappedAdvice } from './wrap.ts'

export type Mark = 'good' | 'warning' | 'bad' | 'none'

export interface Finding {
  readonly mark: Mark
  readonly text: string
  /** More about it, below and not marked. */
  readonly more?: readonly string[]
}

export interface SectionOptions {
  readonly style: Style
  readonly width: number
  /** Of the column of heads. */
  readonly headWidth?: number
}

const usualHeadWidth = 10
/** Between a mark and what it is about. */
const markWidth = 2

/** A head, and marked lines beside it that fit the width. */
export function renderSection(
  head: string,
  findings: readonly Finding[],
  { style, width, headWidth = usualHeadWidth }: SectionOptions,
): string {
  const room = Math.max(20, width - headWidth - markWidth - 1)
  const lines = findings.flatMap(({ mark, text, more = [] }) => [
    ...wrappedAdvice(visible(text), room).map(
      (line, index) => `${index === 0 ? marked(style, mark) : ' '} ${line}`,
    ),
    ...more
      .flatMap((one) => wrappedAdvice(visible(one), room))
      .map((line) => `  ${style.dim(line)}`),
  ])
  return lines
    .map((line, index) =>
      index === 0
        ? `${style.bold(head.padEnd(headWidth))}${line}`
        : `${' '.repeat(headWidth)}${line}`,
    )
    .map((line) => line.trimEnd())
    .join('\n')
}

const marked = (style: Style, mark: Mark): string =>
  ({
    good: style.green('✓'),
    warning: style.yellow('!'),
    bad: style.red('✗'),
    none: style.dim('-'),
  })[mark]
