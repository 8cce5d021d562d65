/** Findings for a terminal: each with a mark, and details below. */

import type { Style } from '../terminal.ts'
import { visible } from './render.ts'
import { wrappedAdvice } from './wrap.ts'

export type Mark = 'good' | 'warning' | 'bad' | 'none'

export interface Finding {
  readonly mark: Mark
  readonly text: string
  /** Details, below and without a mark. */
  readonly more?: readonly string[]
}

export interface SectionOptions {
  readonly style: Style
  readonly width: number
  /** Width of the column of heads. */
  readonly headWidth?: number
}

const usualHeadWidth = 10
/** Width of a mark and the space after it. */
const markWidth = 2

/** A head with marked lines beside it, wrapped to the width. */
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
