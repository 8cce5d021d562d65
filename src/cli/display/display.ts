/**
 * Shows a run while it is running: lines as they come and, on a terminal, a status line at the bottom that
 * is repainted. Everything goes to one stream, so that lines do not mix.
 */

import {
  evolve,
  type RecordedEvent,
  type RunEvent,
  type RunState,
  readStep,
  type StepNote,
} from '../../loop/index.ts'
import type { Terminal } from '../terminal.ts'
import { plural, renderClock } from './amounts.ts'
import { createNarrator, type Hint } from './narrate.ts'
import { visible } from './render.ts'
import { type Doing, fitStyled, renderStatusLine } from './status-line.ts'
import { noterName, renderCall, stepName } from './step-lines.ts'
import { wrappedLine } from './wrap.ts'

export interface Display {
  show(recorded: RecordedEvent): void
  /** Prints a line among those of the run. */
  say(line: string): void
  /** Shows why the run is waiting: in the status line or, without one, in a line per change. */
  wait(why: string | undefined): void
  /** Removes the status line, for a question or at the end; `resume` shows it again. */
  pause(): void
  resume(): void
  close(): void
  readonly state: RunState
}

const repaintMs = 120

export function createDisplay(
  output: NodeJS.WriteStream,
  terminal: Terminal,
  initial: RunState,
  /** Shows only questions and the end. */
  { quiet = false, hint }: { readonly quiet?: boolean; readonly hint?: Hint } = {},
): Display {
  const narrator = createNarrator(terminal.style, hint)
  let state = initial
  let doing: Doing | undefined
  let waiting: Doing | undefined
  /** Length of the painted status line; 0: none. */
  let painted = 0
  const isLive = terminal.live && !quiet
  let paused = !isLive
  let closed = false

  function paint(): void {
    if (paused) return
    const line = renderStatusLine(state, waiting ?? doing, Date.now(), terminal.width())
    output.write(`${wiping(painted, terminal.width())}${line}`)
    painted = line.length
  }

  function wipe(): void {
    if (painted > 0) output.write(wiping(painted, terminal.width()))
    painted = 0
  }

  function say(line: string): void {
    wipe()
    output.write(`${line}\n`)
    paint()
  }

  const timer = isLive ? setInterval(paint, repaintMs) : undefined
  timer?.unref()

  return {
    show(recorded) {
      state = evolve(state, recorded)
      doing = doingAfter(doing, recorded.event, recorded.atMs)
      const { event } = recorded
      const lines = narrator.tell(recorded, state)
      if (!quiet || isAsking(event) || event.type === 'run-ended') {
        for (const line of lines.flatMap((one) => fitted(one, event, terminal))) say(line)
      }
      paint()
    },
    say,
    wait(why) {
      if (quiet || why === waiting?.what) return
      waiting = why === undefined ? undefined : { what: why, sinceMs: Date.now() }
      if (why !== undefined && !terminal.live) say(`  ${visible(why)}`)
      paint()
    },
    pause() {
      paused = true
      wipe()
    },
    resume() {
      paused = closed || !isLive
      paint()
    },
    close() {
      clearInterval(timer)
      closed = true
      paused = true
      wipe()
    },
    get state() {
      return state
    },
  }
}

/** Lines are cut to the width of a terminal, except texts to be read in full; in a file nothing is cut. */
function fitted(line: string, event: RunEvent, { live, width }: Terminal): readonly string[] {
  if (!live) return [line]
  return isReadWhole(event) ? wrappedLine(line, width()) : [fitStyled(line, width())]
}

const isAsking = (event: RunEvent): boolean =>
  event.type === 'step-started' && event.question !== undefined

/** Events that need a decision or end with what to do. */
const isReadWhole = (event: RunEvent): boolean =>
  isAsking(event) ||
  event.type === 'run-ended' ||
  event.type === 'workspace-changed' ||
  event.type === 'preflight-ended' ||
  (event.type === 'step-finished' && readStep(event).kind === 'certify')

/** A terminal that became narrower wraps the line, and all of its rows must be erased. */
function wiping(painted: number, width: number): string {
  const broken = Math.max(0, Math.ceil(painted / width) - 1)
  return `\r\u001B[2K${'\u001B[1A\u001B[2K'.repeat(broken)}`
}

function doingAfter(doing: Doing | undefined, event: RunEvent, atMs: number): Doing | undefined {
  switch (event.type) {
    case 'preflight-noted': {
      const what = event.check === undefined ? 'dependencies' : `${event.check} on the base`
      return { what: `preflight: ${what}`, sinceMs: atMs, kind: 'vague' }
    }
    case 'step-started':
      return { what: stepName(event.step), sinceMs: atMs, kind: 'vague' }
    case 'step-noted':
      return doingNoted(doing, noterName(event), event.note, atMs)
    case 'budget-reserved':
      // A request was sent, so the wait is over.
      return doing?.kind === 'waiting'
        ? { what: `${stepName(event.step)}: thinking`, sinceMs: atMs, kind: 'vague' }
        : doing
    case 'preflight-ended':
    case 'step-finished':
    case 'step-failed':
    case 'step-interrupted':
      return undefined
    default:
      return doing
  }
}

function doingNoted(
  doing: Doing | undefined,
  who: string,
  note: StepNote,
  sinceMs: number,
): Doing | undefined {
  switch (note.type) {
    case 'tool-called':
      return { what: `${who}: thinking`, sinceMs }
    case 'turn-ended':
      if (note.calling === undefined) return doing
      return { what: `${who}: ${renderCall(note.calling)}`, sinceMs }
    case 'waiting': {
      const until = renderClock(note.untilMs, sinceMs)
      return { what: `${who}: waiting until ${until}`, sinceMs, kind: 'waiting' }
    }
    case 'exchanged': {
      // Reported late, and less precise than a known activity.
      if (doing !== undefined && doing.kind !== 'vague') return doing
      const answers = plural(note.ordinal, 'answer')
      return { what: `${who}: at work, ${answers} so far`, sinceMs, kind: 'vague' }
    }
    default:
      return doing
  }
}
