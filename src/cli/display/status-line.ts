/** The status line at the bottom of a terminal: progress and usage of the run. Pure. */

import type { RunState } from '../../loop/index.ts'
import { renderCount, renderMoney, renderSpan } from './amounts.ts'
import { visible } from './render.ts'

export interface Doing {
  readonly what: string
  readonly sinceMs: number
  /** `vague`: replaced by anything more precise. */
  readonly kind?: 'waiting' | 'vague'
}

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
const barWidth = 12

export function renderStatusLine(
  state: RunState,
  doing: Doing | undefined,
  nowMs: number,
  width: number,
): string {
  const frame = frames[Math.floor(nowMs / 100) % frames.length] ?? ''
  const under = state.open?.iteration ?? state.iteration
  const now =
    doing === undefined
      ? state.status
      : `${visible(doing.what)} ${renderSpan(Math.max(0, nowMs - doing.sinceMs))}`
  const count = `${under}/${state.limits.iterations}`
  const drawn = `${frame} ${bar(under, state.limits.iterations)} ${count}  ${now}`
  // The activity matters more than the progress bar.
  const first = drawn.length < width ? drawn : `${frame} ${count}  ${now}`
  return fit([first, ...usage(state)].join('  '), width)
}

function usage({ spent, limits }: RunState): string[] {
  const tokens = `${renderCount(spent.tokens)}/${renderCount(limits.tokens)} tokens`
  const money = `${renderMoney(spent.costMicros)}/${renderMoney(limits.costMicros)}`
  return [...(spent.tokens === 0 ? [] : [tokens]), ...(spent.costMicros === 0 ? [] : [money])]
}

function bar(done: number, all: number): string {
  const full = all === 0 ? barWidth : Math.min(barWidth, Math.round((done / all) * barWidth))
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)}`
}

/** Cuts to one line: a longer one would break repainting. */
export const fit = (text: string, width: number): string =>
  text.length < width ? text : `${text.slice(0, Math.max(0, width - 2))}…`

/** Built from a string, since lint rejects a control character in a regular expression. */
const color = new RegExp(`(${String.fromCharCode(27)}\\[\\d+m)`)

/** The same for a line with colors, which have no width. */
export function fitStyled(text: string, width: number): string {
  const parts = text.split(color)
  let room = width - 1
  let shown = ''
  for (const [index, part] of parts.entries()) {
    const isColor = index % 2 === 1
    if (isColor) shown += part
    else if (part.length <= room) {
      shown += part
      room -= part.length
    } else return `${shown}${part.slice(0, Math.max(0, room - 1))}…\u001B[0m`
  }
  return shown
}
