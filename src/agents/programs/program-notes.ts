/** What a program does, as notes for those who watch: short, plain, and not without end. */

import { type AgentNote, defined, zero } from '../../loop/index.ts'
import type { Redact } from '../redact.ts'
import { tidy } from '../said-lines.ts'
import type { ProgramEvent } from './agent-program.ts'

export interface ProgramNotes {
  tell(event: ProgramEvent): void
  /** A line that was no event. */
  heardNoise(line: string): void
  /** The end of all such lines. */
  noise(): string
}

const textCharsMax = 500
const readCharsMax = 16 * 1024
/** One program, however long it works (E9). */
const notesMax = 2000
const noiseNotesMax = 20
const noiseCharsMax = 2000

export function createProgramNotes(note: (note: AgentNote) => void, redact: Redact): ProgramNotes {
  let notes = 0
  let turn = 0
  let calls: string[] = []
  let noise = ''
  let noiseNotes = 0

  // Cut first: texts are of any length.
  const brief = (text: string): string =>
    redact(tidy(text.slice(0, readCharsMax))).slice(0, textCharsMax)

  function put(one: AgentNote): void {
    if (++notes <= notesMax) note(one)
  }

  function say(text: string): void {
    const plain = brief(text)
    if (plain !== '') put({ type: 'said', text: plain })
  }

  return {
    noise: () => noise,
    heardNoise(line) {
      const text = line.slice(-noiseCharsMax)
      noise = `${noise}${text}\n`.slice(-noiseCharsMax)
      if (++noiseNotes <= noiseNotesMax) say(text)
    },
    tell(event) {
      switch (event.type) {
        case 'said':
          return say(event.text)
        case 'tool-called': {
          const call = `${event.tool} ${event.args}`
          if (calls.length < notesMax) calls.push(brief(call))
          return say(call)
        }
        case 'tool-ended':
          return event.ok ? undefined : say(`${event.tool} failed: ${event.text ?? ''}`)
        case 'turn-ended': {
          const [calling] = calls
          const usage = zero
          const called = defined({ calling })
          put({ type: 'turn-ended', turn: ++turn, text: '', calls: calls.length, ...called, usage })
          calls = []
          return
        }
        case 'retrying':
          return say(`tries again: ${event.message}`)
        case 'warned':
          return say(event.message)
        case 'session':
        case 'ended':
          return
      }
    },
  }
}
