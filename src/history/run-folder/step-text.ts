/** Formats results and notes of steps as text. Results come from any loop, so their shape is uncertain. */

import { type Json, type StepNote, summarizeTodo } from '../../loop/index.ts'

export function readPrompt(result: Json | undefined): string | undefined {
  const prompt = field(result, 'prompt')
  return typeof prompt === 'string' ? prompt : undefined
}

/** Formats a note of an agent for its log. */
export function noteText(note: StepNote): string {
  switch (note.type) {
    case 'said':
      return note.text.endsWith('\n') ? note.text : `${note.text}\n`
    case 'turn-ended':
      return note.text === '' ? '' : `${note.text}\n`
    case 'todo':
      return `[todo list: ${summarizeTodo(note)}]\n`
    case 'tool-called':
      return `> ${note.tool} ${note.args}${note.ok ? '' : ` (${note.error ?? 'failed'})`}\n`
    case 'context-cut':
      return `[${note.tokens} tokens cut from the conversation: ${note.what}]\n`
    case 'nudged':
      return `[warned about repeating itself: ${note.tool}, ${note.times} times]\n`
    case 'waiting':
      return `[waits: ${note.message}]\n`
    case 'exchanged':
    case 'prompted':
      return ''
  }
}

export function agentEnd(result: Json | undefined): {
  readonly text: string
  readonly exitCode: number
} {
  const status = field(result, 'status')
  const report = field(result, 'text')
  const words = typeof report === 'string' && report !== '' ? `${report}\n` : ''
  return {
    text: `--- ${typeof status === 'string' ? status : 'ended'} ---\n${words}`,
    exitCode: status === 'failed' || status === 'blocked' ? 1 : 0,
  }
}

export function checkEnd(result: Json | undefined): {
  readonly text: string
  readonly exitCode: number
  readonly isSkipped: boolean
} {
  const status = field(result, 'status')
  const exitCode = field(result, 'exitCode')
  const output = field(result, 'output')
  const isMet = status === 'met'
  const shown = typeof output === 'string' ? output : ''
  return {
    text: `${typeof status === 'string' ? status : 'ended'}\n${shown}${shown.endsWith('\n') || shown === '' ? '' : '\n'}`,
    exitCode: typeof exitCode === 'number' ? exitCode : isMet ? 0 : status === 'timeout' ? 124 : 1,
    isSkipped: status === 'skipped',
  }
}

export function field(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return (value as { readonly [key: string]: Json })[name]
}
