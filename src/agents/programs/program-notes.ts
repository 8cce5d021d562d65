/** Reports a program's work as notes for observers: short, plain, and limited in number. */

import {
  type AgentNote,
  defined,
  isSameTodo,
  type TodoItem,
  type TodoList,
  toTodoList,
  zero,
} from '../../loop/index.ts'
import { tidy } from '../output-notes.ts'
import type { Redact } from '../redact.ts'
import type { ProgramEvent } from './agent-program.ts'

export interface ProgramNotes {
  report(event: ProgramEvent): void
  /** A line that was not an event. */
  addNoise(line: string): void
  /** The end of all such lines. */
  noise(): string
}

const textCharsMax = 500
const readCharsMax = 16 * 1024
/** For one program, however long it works (E9). */
const notesMax = 2000
const noiseNotesMax = 20
/** Each is much longer than other notes. */
const todoNotesMax = 200
const noiseCharsMax = 2000

export function createProgramNotes(note: (note: AgentNote) => void, redact: Redact): ProgramNotes {
  let notes = 0
  let turn = 0
  let calls: string[] = []
  let noise = ''
  let noiseNotes = 0
  let todo: TodoList | undefined
  let todoNotes = 0

  // Shortened first: texts can have any length.
  const shorten = (text: string): string =>
    redact(tidy(text.slice(0, readCharsMax))).slice(0, textCharsMax)

  function addNote(one: AgentNote): void {
    if (++notes <= notesMax) note(one)
  }

  function say(text: string): void {
    const plain = shorten(text)
    if (plain !== '') addNote({ type: 'said', text: plain })
  }

  /** Programs report the same list again and again. */
  function addTodo(items: readonly TodoItem[]): void {
    const list = toTodoList(items.map(({ text, status }) => ({ text: shorten(text), status })))
    if (isSameTodo(todo, list) || ++todoNotes > todoNotesMax) return
    todo = list
    addNote({ type: 'todo', ...list })
  }

  return {
    noise: () => noise,
    addNoise(line) {
      const text = line.slice(-noiseCharsMax)
      noise = `${noise}${text}\n`.slice(-noiseCharsMax)
      if (++noiseNotes <= noiseNotesMax) say(text)
    },
    report(event) {
      switch (event.type) {
        case 'said':
          return say(event.text)
        case 'tool-called': {
          const call = `${event.tool} ${event.args}`
          if (calls.length < notesMax) calls.push(shorten(call))
          return say(call)
        }
        case 'tool-ended':
          return event.ok ? undefined : say(`${event.tool} failed: ${event.text ?? ''}`)
        case 'turn-ended': {
          const [calling] = calls
          const usage = zero
          const called = defined({ calling })
          addNote({
            type: 'turn-ended',
            turn: ++turn,
            text: '',
            calls: calls.length,
            ...called,
            usage,
          })
          calls = []
          return
        }
        case 'todo':
          return addTodo(event.items)
        case 'retrying':
          return say(`retrying: ${event.message}`)
        case 'warned':
          return say(event.message)
        case 'session':
        case 'ended':
          return
      }
    },
  }
}
