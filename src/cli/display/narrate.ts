/**
 * Turns the events of a run into lines for a person. Pure: takes events and the state after each, and
 * returns lines; it does not print.
 */

import {
  type CheckResult,
  describeAgent,
  describeEnding,
  describeEvent,
  describeOutcome,
  describeSandboxSummary,
  type Json,
  parseStepId,
  plainOutput,
  type RecordedEvent,
  type RunEvent,
  type RunStarted,
  type RunState,
  readStep,
  type SandboxSummary,
  type StepId,
  type StepNote,
  selectKeyLines,
} from '../../loop/index.ts'
import type { Style } from '../terminal.ts'
import {
  plural,
  renderClock,
  renderCount,
  renderMoney,
  renderSpan,
  renderTokens,
} from './amounts.ts'
import { type Certified, certificationOf, checkRemarks, shortId } from './certification-lines.ts'
import { nextLines, preflightLines } from './preflight-lines.ts'
import { visible, visibleText } from './render.ts'
import { isNames, isPrompt, isReport } from './step-values.ts'

export interface Narrator {
  /** The lines for an event. `state` is the state after it. */
  tell(recorded: RecordedEvent, state: RunState): readonly string[]
}

const nameWidth = 14
const outputLinesMax = 6
const textCharsMax = 160
const placesMax = 6
const refusalLinesMax = 20

type WaitingNote = Extract<StepNote, { type: 'waiting' }>

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

/** Shown by the status line, or implied by the events that follow. */
const quiet: ReadonlySet<RunEvent['type']> = new Set([
  'run-created',
  'run-suspended',
  'preflight-noted',
  'budget-reserved',
  'budget-settled',
])

/** Rewrites commands in advice to what the user has to type. */
export type Hint = (text: string) => string

export function createNarrator(style: Style, hint: Hint = String): Narrator {
  /** When each running step started. */
  const began = new Map<string, number>()
  /** The last text of each step, so that a report that repeats it is not shown twice. */
  const lastSaid = new Map<string, string>()
  /** Until when each step waits, so that steps that wait together are shown once. */
  const waits = new Map<string, string>()
  const line = (name: string, text: string): string =>
    `    ${style.cyan(short(name).padEnd(nameWidth))} ${text}`

  function finished({ event, atMs }: { event: Of<'step-finished'>; atMs: number }): string[] {
    const took = renderSpan(Math.max(0, atMs - (began.get(event.step) ?? atMs)))
    began.delete(event.step)
    const value = valueOf(event.result)
    if (event.evidence !== undefined) {
      return checkLines(style, line, event.evidence.check, value, event.evidence.status, took)
    }
    const isCertification = readStep(event).kind === 'certify'
    const certified = isCertification ? certificationOf(value) : undefined
    if (certified !== undefined) return certificationLines(style, line, certified, took)
    if (isReport(value)) {
      const usage = value.usage.tokens === 0 ? '' : `, ${renderTokens(value.usage)}`
      const turns = `${plural(value.turns, 'turn')}${usage}, ${took}`
      const words = oneLine(value.text)
      const isNew = words !== '' && words !== lastSaid.get(event.step)
      lastSaid.delete(event.step)
      const said = isNew ? style.dim(`: ${words}`) : ''
      const how = short(`says ${value.status} (${turns})`)
      return [line(stepName(event.step), `${how}${said}`)]
    }
    const text = short(promptText(value) ?? listText(value) ?? 'done')
    return [line(stepName(event.step), `${text} ${style.dim(took)}`)]
  }

  function waiting(event: Of<'step-noted'>, note: WaitingNote, nowMs: number): string[] {
    const until = renderClock(note.untilMs, nowMs)
    if (waits.get(event.step) === until) return []
    waits.set(event.step, until)
    return [line(noterName(event), style.yellow(waitingText(until, note)))]
  }

  return {
    tell({ event, atMs }, state) {
      switch (event.type) {
        case 'iteration-started': {
          const again = event.again === true ? ' (continued)' : ''
          const title = `iteration ${event.iteration} of ${state.limits.iterations}${again}`
          return [`  ${style.bold(title)}`]
        }
        case 'step-started':
          began.set(event.step, atMs)
          return questionLines(style, line, event)
        case 'step-finished':
          return finished({ event, atMs })
        case 'step-noted':
          if (event.note.type === 'said') lastSaid.set(event.step, oneLine(event.note.text))
          if (event.note.type === 'waiting') return waiting(event, event.note, atMs)
          return noteLines(style, line, event)
        case 'iteration-ended':
          return event.ending.type === 'error' || event.ending.type === 'rate-limited'
            ? [`  ${style.yellow(visible(describeEnding(event.ending)))}`]
            : []
        case 'run-ended':
          return endLines(style, event, state, hint)
        case 'run-started':
          return renderStart(style, event)
        case 'loop-printed':
          return event.text.split('\n').map((text) => line('printed', visibleText(text)))
        case 'preflight-ended':
          return preflightLines(style, line, event)
        default:
          return quiet.has(event.type) ? [] : [`    ${style.yellow(described(event))}`]
      }
    },
  }
}

const waitingText = (until: string, { message }: WaitingNote): string =>
  oneLine(`waiting until ${until}: ${message}`)

function renderStart(style: Style, { agent, sandbox }: RunStarted): readonly string[] {
  const used = agent === undefined ? [] : [visible(`agent: ${describeAgent(agent)}`)]
  return [
    ...used.map((line) => `  ${style.dim(line)}`),
    ...(sandbox === undefined ? [] : [renderSandbox(style, sandbox)]),
  ]
}

/** The sandbox of the run, or a warning that there is none. */
function renderSandbox(style: Style, sandbox: SandboxSummary): string {
  if (sandbox.tier === 'none') {
    return `  ${style.yellow('warning: no sandbox; the agent can read your files and use the network')}`
  }
  const text = `sandbox: ${describeSandboxSummary(sandbox)}`
  return `  ${sandbox.tier === 'strong' ? style.dim(text) : style.yellow(`warning: ${text}`)}`
}

/** The outcome, with time and cost. */
export function renderEnd(style: Style, state: RunState): string {
  const { outcome, spent, activeMs, iteration } = state
  if (outcome === undefined) return ''
  const money = spent.costMicros === 0 ? '' : `, ${renderMoney(spent.costMicros)}`
  const tokens = spent.tokens === 0 ? '' : `, ${renderTokens(spent)}`
  const took = `${plural(iteration, 'iteration')}, ${renderSpan(activeMs)}${tokens}${money}`
  const good = outcome.type === 'completed'
  const mark = good ? style.green('✓') : style.red('✗')
  return `${mark} ${style.bold(visible(describeOutcome(outcome)))}  ${style.dim(took)}`
}

const endLines = (
  style: Style,
  { outcome }: Of<'run-ended'>,
  state: RunState,
  hint: Hint,
): string[] => [
  renderEnd(style, state),
  ...describeLocation(style, outcome),
  ...nextLines(style, outcome, state).map(hint),
  ...certificateLines(style, state, hint),
]

/** How to verify the certificate. */
export function certificateLines(
  style: Style,
  state: RunState,
  hint: Hint = String,
): readonly string[] {
  const { outcome, certificate } = state
  if (outcome?.type !== 'completed' || certificate === undefined) return []
  const id = shortId(certificate.id)
  return [style.dim(visible(hint(`  certificate ${id}; to verify it: loopctl verify ${id}`)))]
}

/** For an error in the code of a loop: where it happened. */
function describeLocation(style: Style, outcome: Of<'run-ended'>['outcome']): readonly string[] {
  if (outcome.type !== 'failed') return []
  const [, ...places] = outcome.fault.message.split('\n')
  return places.slice(0, placesMax).map((place) => style.dim(short(place)))
}

type Line = (name: string, text: string) => string

function checkLines(
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
function certificationLines(
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
function questionLines(style: Style, line: Line, event: Of<'step-started'>): string[] {
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

function noteLines(style: Style, line: Line, event: Of<'step-noted'>): string[] {
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
function promptText(value: Json | undefined): string | undefined {
  if (!isPrompt(value)) return undefined
  const { tokens, cuts } = value
  const cut = cuts.map(({ section, tokens: less }) => `${visible(section)} by ${less}`)
  return `${renderCount(tokens)} tokens${cut.length === 0 ? '' : `, cut: ${cut.join(', ')}`}`
}

const listText = (value: Json | undefined): string | undefined =>
  isNames(value) && value.length > 0 ? oneLine(value.join(', ')) : undefined

/** Undefined for large results, which are stored as blobs. */
const valueOf = (stored: Of<'step-finished'>['result']): Json | undefined =>
  stored !== undefined && 'value' in stored ? stored.value : undefined

/** `maker` of `agent:maker#1`, `certify` of `certify:checks-pass#1`; the branch stays. */
export function stepName(step: StepId): string {
  const { path, kind, name, occurrence } = parseStepId(step)
  if (kind === 'certify') return `${path}certify`
  const own = kind === 'sleep' || kind === 'gate' ? `${kind}:${name}` : name
  return `${path}${own}${occurrence === 1 ? '' : `#${occurrence}`}`
}

/** The role that wrote the note, if the step has several. */
export const noterName = ({ step, role }: Pick<Of<'step-noted'>, 'step' | 'role'>): string =>
  role === undefined ? stepName(step) : role.replace(/^(judge|consult):/, '')

/** A message about changed files ends with what to do, so it is not cut. */
const described = (event: RunEvent): string =>
  event.type === 'workspace-changed' ? visible(describeEvent(event)) : short(describeEvent(event))

const short = (text: string): string => {
  const shown = visible(text)
  return shown.length <= textCharsMax ? shown : `${shown.slice(0, textCharsMax - 1)}…`
}

const oneLine = (text: string): string => short(text.trim().replaceAll(/\s+/g, ' '))
