/**
 * Calls of git that a session can answer: small lookups and reads, and changes of refs. The answers are those of a
 * separate process.
 */

import type { Question } from './git-session.ts'
import type { GitCall } from './run-git.ts'
import { timeoutMsDefault } from './run-program.ts'

export interface SessionCall {
  /** The arguments of the process. */
  readonly args: readonly string[]
  readonly question: Question
  /** What a separate process would have printed. */
  toOutput(answer: Buffer): Buffer
}

/** Longer inputs get a process for themselves. */
const inputBytesMax = 16 * 1024
/** So does what may print more. */
export const sessionOutputBytesMax: number = 4 * 1024 * 1024
const newline = 10

/** Undefined: it needs a process for itself. */
export function toSessionCall(call: GitCall): SessionCall | undefined {
  const { command, options = [], input, signal } = call
  if (signal !== undefined || !(input instanceof Uint8Array)) return undefined
  if (input.length === 0 || input.length > inputBytesMax) return undefined
  const named = [command, ...options].join(' ')
  if (named === 'cat-file --batch-check') return lookUp(call, input)
  if (named === 'cat-file --batch') return readContents(call, input)
  return named === 'update-ref -m loopwright -z --stdin' ? changeRefs(call, input) : undefined
}

const readerArgs = ['cat-file', '--batch-command']

function lookUp(call: GitCall, input: Uint8Array): SessionCall | undefined {
  const names = splitLines(input)
  if (names === undefined) return undefined
  return {
    args: readerArgs,
    question: {
      ...limitsOf(call, sessionOutputBytesMax),
      input: toCommands('info', names),
      isComplete: (output) => countLines(output) >= names.length,
    },
    toOutput: (answer) => answer,
  }
}

function readContents(call: GitCall, input: Uint8Array): SessionCall | undefined {
  const names = splitLines(input)
  const { outputBytesMax = Number.MAX_SAFE_INTEGER } = call
  if (names === undefined || outputBytesMax > sessionOutputBytesMax) return undefined
  return {
    args: readerArgs,
    question: {
      ...limitsOf(call, outputBytesMax),
      input: toCommands('contents', names),
      isComplete: (output) => countObjects(output) >= names.length,
    },
    toOutput: (answer) => answer,
  }
}

const updatePattern = /^(?:option no-deref\0)?update /

/**
 * A transaction; without it the process would change nothing before its input ends. Deleting a ref locks all packed
 * ones, which a killed process would leave locked, so it is not done here.
 */
function changeRefs(call: GitCall, input: Uint8Array): SessionCall | undefined {
  if (!updatePattern.test(Buffer.from(input).toString('latin1'))) return undefined
  return {
    args: ['update-ref', '-m', 'loopwright', '-z', '--stdin'],
    question: {
      ...limitsOf(call, sessionOutputBytesMax),
      input: Buffer.concat([Buffer.from('start\0'), input, Buffer.from('commit\0')]),
      isComplete: (output) => output.includes('commit: ok\n'),
    },
    toOutput: () => Buffer.alloc(0),
  }
}

const limitsOf = (
  { timeoutMs = timeoutMsDefault }: GitCall,
  outputBytesMax: number,
): Pick<Question, 'timeoutMs' | 'outputBytesMax'> => ({ timeoutMs, outputBytesMax })

/** Undefined if a line is empty or incomplete: the process would end. */
function splitLines(input: Uint8Array): readonly string[] | undefined {
  if (input.at(-1) !== newline) return undefined
  const lines = Buffer.from(input).toString('latin1').slice(0, -1).split('\n')
  return lines.includes('') ? undefined : lines
}

const toCommands = (command: string, names: readonly string[]): Buffer =>
  Buffer.from(names.map((name) => `${command} ${name}\n`).join(''), 'latin1')

function countLines(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === newline) count += 1
  return count
}

/** The complete ones: a line with the size, the content, a newline. A missing object is only a line. */
function countObjects(output: Buffer): number {
  let count = 0
  for (let at = 0; at < output.length; count += 1) {
    const end = output.indexOf(newline, at)
    if (end === -1) break
    const [, , size] = output.toString('latin1', at, end).split(' ')
    const isFound = size !== undefined && /^\d+$/.test(size)
    at = isFound ? end + 1 + Number(size) + 1 : end + 1
    if (at > output.length) break
  }
  return count
}
