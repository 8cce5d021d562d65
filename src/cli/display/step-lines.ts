/** Lines for a person about one step: its check, its certification, its question and its notes. */

import {
  type CheckResult,
  type Json,
  parseStepId,
  plainOutput,
  type RunEvent,
  type StepId,
  selectKeyLines,
  summarizeTodo,
} from '../../loop/index.ts'
import type { Style } from '../terminal.ts'
import { renderCount } from './amounts.ts'
import { type Certified, checkRemarks } from './certification-lines.ts'
import { visible, visibleText } from './render.ts'
import { isNames, isPrompt } from './step-values.ts'

const outputLinesMax = 6
const textCharsMax = 160
const refusalLinesMax = 20

export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

/** A line with a name in its first column. */
export type Line = (name: string, text: string) => string

export function checkLines(
  style: Style,
  line: Line,
  check: string,
  value: Json | undefined,
  status: CheckResult['status'],
  took: string,
): string[] {
  const met = status === 'met'
  const result = (value ?? {}) as Partial<CheckResult>
  const { output = '', exitCode } = result
  const exit = met || exitCode === undefined ? '' : `, exit ${exitCode}`
  const shown = met ? style.green('✓ met') : style.red(short(`✗ ${status}${exit}`))
  const first = line(`check ${check}`, `${shown} ${style.dim(`${took}${checkRemarks(result)}`)}`)
  if (met) return [first]
  const why = result.kind === 'judge' ? reasons(output) : selectKeyLines(output, outputLinesMax)
  return [first, ...why.map((text) => line('', style.dim(short(text))))]
}

/** A refusal ends with what to do, so it is not cut. */
export function certificationLines(
  style: Style,
  line: Line,
  certified: Certified,
  took: string,
): string[] {
  switch (certified.type) {
    case 'certified':
      return [line('certify', `${style.green('✓ certified')} ${style.dim(took)}`)]
    case 'asks':
      return [line('certify', style.yellow('waiting for a decision'))]
    case 'refused': {
      const first = line('certify', `${style.red('✗ not certified')} ${style.dim(took)}`)
      const why = certified.refusals.flatMap(({ code, message }) =>
        visibleText(`${code}: ${message}`).split('\n').slice(0, refusalLinesMax),
      )
      return [first, ...why.map((text) => line('', text))]
    }
  }
}

/** A question of several lines has something to read, such as a diff. */
export function questionLines(style: Style, line: Line, event: EventOf<'step-started'>): string[] {
  if (event.question === undefined) return []
  const name = stepName(event.step)
  const { text } = event.question
  const [first = '', ...rest] = text.trimEnd().split('\n').map(visibleText)
  if (rest.length === 0) return [line(name, style.yellow(`asks: ${oneLine(text)}`))]
  return [line(name, style.yellow(`asks: ${first}`)), ...rest.map((more) => `      ${more}`)]
}

/** A judge's output is its verdict, and a line for each reason. */
const reasons = (output: string): readonly string[] =>
  plainOutput(output)
    .split('\n')
    .slice(0, 1 + outputLinesMax)

export function noteLines(style: Style, line: Line, event: EventOf<'step-noted'>): string[] {
  const { note } = event
  const who = noterName(event)
  switch (note.type) {
    case 'tool-called': {
      const call = `${short(note.tool)} ${style.dim(oneLine(mainArgument(note.args)))}`
      return [line(who, note.ok ? call : `${call} ${style.yellow(short(note.error ?? 'failed'))}`)]
    }
    case 'turn-ended':
      // Text without a call is its report, which comes next.
      return note.text === '' || note.calls === 0 ? [] : [line(who, style.dim(oneLine(note.text)))]
    case 'said':
      return [line(who, style.dim(oneLine(note.text)))]
    case 'todo':
      return [line(who, style.dim(oneLine(`todo list: ${summarizeTodo(note)}`)))]
    case 'waiting':
    // Exchanges with models are in the status line and in `show`.
    case 'exchanged':
    case 'prompted':
      return []
    case 'context-cut':
    case 'nudged': {
      const text =
        note.type === 'nudged'
          ? `repeats ${note.tool} (${note.times} times); warned`
          : `${renderCount(note.tokens)} tokens cut from its conversation: ${note.what}`
      return [line(who, style.yellow(short(text)))]
    }
  }
}

/** `edit sum.js` of `edit {"path":"sum.js",…}`. */
export function renderCall(call: string): string {
  const [tool = ''] = call.split(' ', 1)
  return oneLine(`${tool} ${mainArgument(call.slice(tool.length + 1))}`)
}

/** The main argument of a call, if it is a usual one; else all arguments. */
function mainArgument(args: string): string {
  const [, value] = /[{,]"(?:path|command|pattern)":"((?:[^"\\]|\\.)*)/.exec(args) ?? []
  return value === undefined ? args : value.replaceAll(/\\(["\\/])/g, '$1')
}

/** The result of a step that writes a prompt. */
export function promptText(value: Json | undefined): string | undefined {
  if (!isPrompt(value)) return undefined
  const { tokens, cuts } = value
  const cut = cuts.map(({ section, tokens: less }) => `${visible(section)} by ${less}`)
  return `${renderCount(tokens)} tokens${cut.length === 0 ? '' : `, cut: ${cut.join(', ')}`}`
}

export const listText = (value: Json | undefined): string | undefined =>
  isNames(value) && value.length > 0 ? oneLine(value.join(', ')) : undefined

/** Undefined for large results, which are stored as blobs. */
export const valueOf = (stored: EventOf<'step-finished'>['result']): Json | undefined =>
  stored !== undefined && 'value' in stored ? stored.value : undefined

/** `maker` of `agent:maker#1`, `certify` of `certify:checks-pass#1`; the branch stays. */
export function stepName(step: StepId): string {
  const { path, kind, name, occurrence } = parseStepId(step)
  if (kind === 'certify') return `${path}certify`
  const own = kind === 'sleep' || kind === 'gate' ? `${kind}:${name}` : name
  return `${path}${own}${occurrence === 1 ? '' : `#${occurrence}`}`
}

/** The role that wrote the note, if the step has several. */
export const noterName = ({ step, role }: Pick<EventOf<'step-noted'>, 'step' | 'role'>): string =>
  role === undefined ? stepName(step) : role.replace(/^(judge|consult):/, '')

export const short = (text: string): string => {
  const shown = visible(text)
  return shown.length <= textCharsMax ? shown : `${shown.slice(0, textCharsMax - 1)}…`
}

export const oneLine = (text: string): string => short(text.trim().replaceAll(/\s+/g, ' '))
