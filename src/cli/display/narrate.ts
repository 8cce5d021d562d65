/**
 * Turns the events of a run into lines for a person. Pure: takes events and the state after each, and
 * returns lines; it does not print.
 */

import {
  describeAgent,
  describeEnding,
  describeEvent,
  describeOutcome,
  describeSandboxSummary,
  type RecordedEvent,
  type RunEvent,
  type RunStarted,
  type RunState,
  readStep,
  type SandboxSummary,
  type StepNote,
} from '../../loop/index.ts'
import { roundReportRole } from '../../protocol/round/round-report.ts'
import type { Style } from '../terminal.ts'
import { plural, renderClock, renderMoney, renderSpan, renderTokens } from './amounts.ts'
import { certificationOf, shortId } from './certification-lines.ts'
import { nextLines, preflightLines } from './preflight-lines.ts'
import { visible, visibleText } from './render.ts'
import {
  certificationLines,
  checkLines,
  type EventOf,
  listText,
  noteLines,
  noterName,
  oneLine,
  promptText,
  questionLines,
  short,
  stepName,
  valueOf,
} from './step-lines.ts'
import { isReport, roundOutcomeOf } from './step-values.ts'

export interface Narrator {
  /** The lines for an event. `state` is the state after it. */
  tell(recorded: RecordedEvent, state: RunState): readonly string[]
}

const nameWidth = 14
const placesMax = 6

type WaitingNote = Extract<StepNote, { type: 'waiting' }>

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

  function finished({ event, atMs }: { event: EventOf<'step-finished'>; atMs: number }): string[] {
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
    const text = short(outcomeOf(event) ?? promptText(value) ?? listText(value) ?? 'done')
    return [line(stepName(event.step), `${text} ${style.dim(took)}`)]
  }

  function waiting(event: EventOf<'step-noted'>, note: WaitingNote, nowMs: number): string[] {
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
  { outcome }: EventOf<'run-ended'>,
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
function describeLocation(
  style: Style,
  outcome: EventOf<'run-ended'>['outcome'],
): readonly string[] {
  if (outcome.type !== 'failed') return []
  const [, ...places] = outcome.fault.message.split('\n')
  return places.slice(0, placesMax).map((place) => style.dim(short(place)))
}

/** A message about changed files ends with what to do, so it is not cut. */
const described = (event: RunEvent): string =>
  event.type === 'workspace-changed' ? visible(describeEvent(event)) : short(describeEvent(event))

/** Of the report of a round. */
const outcomeOf = (event: EventOf<'step-finished'>): string | undefined =>
  readStep(event).role === roundReportRole ? roundOutcomeOf(valueOf(event.result)) : undefined
