/**
 * Shows a run while it goes on: lines as they come and, on a terminal, one line at the bottom that is
 * painted anew. Everything goes to one stream, so that nothing is torn.
 */

import {
  evolve,
  type RecordedEvent,
  type RunEvent,
  type RunState,
  type StepNote,
} from '../../loop/index.ts'
import type { Terminal } from '../terminal.ts'
import { plural, renderClock } from './amounts.ts'
import { createNarrator, renderCall, stepName } from './narrate.ts'
import { type Doing, fitStyled, renderStatusLine } from './status-line.ts'

export interface Display {
  show(recorded: RecordedEvent): void
  /** A line of ours among those of the run. */
  say(line: string): void
  /** Takes the bottom line away, for a question or for good; `resume` brings it back. */
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
): Display {
  const narrator = createNarrator(terminal.style)
  let state = initial
  let doing: Doing | undefined
  let painted = false
  let paused = !terminal.live
  let closed = false

  function paint(): void {
    if (paused) return
    const line = renderStatusLine(state, doing, Date.now(), terminal.width())
    output.write(`\r\u001B[2K${line}`)
    painted = true
  }

  function wipe(): void {
    if (painted) output.write('\r\u001B[2K')
    painted = false
  }

  /** On a terminal a line is a line; in a file all of it stands. */
  const fitted = (line: string): string =>
    terminal.live ? fitStyled(line, terminal.width()) : line

  function say(line: string): void {
    wipe()
    output.write(`${line}\n`)
    paint()
  }

  const timer = terminal.live ? setInterval(paint, repaintMs) : undefined
  timer?.unref()

  return {
    show(recorded) {
      state = evolve(state, recorded)
      doing = doingAfter(doing, recorded.event, recorded.atMs)
      for (const line of narrator.tell(recorded, state)) say(fitted(line))
      paint()
    },
    say,
    pause() {
      paused = true
      wipe()
    },
    resume() {
      paused = closed || !terminal.live
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

function doingAfter(doing: Doing | undefined, event: RunEvent, atMs: number): Doing | undefined {
  switch (event.type) {
    case 'step-started':
      return { what: stepName(event.step), sinceMs: atMs }
    case 'step-noted': {
      const what = doingOf(event.note, atMs)
      return what === undefined
        ? doing
        : { what: `${stepName(event.step)}: ${what}`, sinceMs: atMs }
    }
    case 'step-finished':
    case 'step-failed':
    case 'step-interrupted':
      return undefined
    default:
      return doing
  }
}

/** What an agent does after a note; undefined when the note does not tell. */
function doingOf(note: StepNote, atMs: number): string | undefined {
  switch (note.type) {
    case 'tool-called':
      return 'thinking'
    case 'turn-ended':
      return note.calling === undefined ? undefined : renderCall(note.calling)
    case 'waiting':
      return `waiting until ${renderClock(note.untilMs, atMs)}`
    case 'exchanged':
      return `at work, ${plural(note.ordinal, 'answer')} so far`
    default:
      return undefined
  }
}
