/** Runs a program to its end, with limits on time and output. */

import { type ChildProcess, spawn as nodeSpawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Signal } from '../../loop/index.ts'

export interface Program {
  /** For messages. */
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface ProgramCall {
  readonly input?: Uint8Array | AsyncIterable<Uint8Array>
  readonly timeoutMs?: number
  readonly outputBytesMax?: number
  /** Exit codes that count as success. Default: 0. */
  readonly answers?: readonly number[]
  readonly signal?: Signal
}

export interface ProgramResult {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** git, or another program that manages worktrees, failed. */
export class GitError extends Error {
  /** `lost`: its process was killed by others. After anything but `refused` it may have done its work. */
  readonly why: 'refused' | 'timeout' | 'output' | 'aborted' | 'lost'
  readonly stderr: string
  constructor(why: GitError['why'], name: string, stderr: string) {
    super(`${name} ${reasons[why]}${stderr === '' ? '' : `: ${extractReason(stderr)}`}`)
    this.name = 'GitError'
    this.why = why
    this.stderr = stderr
  }
}

const reasons = {
  refused: 'failed',
  timeout: 'timed out and was killed',
  output: 'printed too much and was killed',
  aborted: 'was canceled',
  lost: 'was killed',
}

export const timeoutMsDefault = 60_000
const outputBytesMaxDefault = 64 * 1024 * 1024
const stderrBytesMax = 64 * 1024

export async function runProgram(
  { name, program, args, env }: Program,
  call: ProgramCall = {},
): Promise<ProgramResult> {
  const child = nodeSpawn(program, args, {
    cwd: '/',
    // A separate process group, so that its children are killed with it.
    detached: true,
    env: { ...env },
    stdio: [call.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  let why: GitError['why'] | undefined
  const end = (reason: GitError['why']): void => {
    why ??= reason
    killGroup(child)
  }
  const timer = setTimeout(() => end('timeout'), call.timeoutMs ?? timeoutMsDefault)
  const abort = (): void => end('aborted')
  call.signal?.addEventListener('abort', abort)
  if (call.signal?.aborted === true) abort()
  let inputError: unknown
  feed(child.stdin, call.input).catch((error: unknown) => {
    inputError = error
    killGroup(child)
  })
  try {
    const [[code], stdout, stderr] = await Promise.all([
      once(child, 'close'),
      collect(child.stdout, call.outputBytesMax ?? outputBytesMaxDefault, () => end('output')),
      collect(child.stderr, stderrBytesMax),
    ])
    if (inputError !== undefined) throw inputError
    const errorText = stderr.toString('utf8').trim()
    const answers = call.answers ?? [0]
    if (why === undefined && typeof code === 'number' && answers.includes(code)) {
      return { exitCode: code, stdout, stderr: errorText }
    }
    throw new GitError(why ?? (typeof code === 'number' ? 'refused' : 'lost'), name, errorText)
  } finally {
    clearTimeout(timer)
    call.signal?.removeEventListener('abort', abort)
  }
}

/**
 * A program may stop reading its input; its exit code shows why. The caller does not wait for an input that is
 * slower than the program.
 */
async function feed(stdin: Writable | null, input: ProgramCall['input']): Promise<void> {
  if (stdin === null || input === undefined) return
  let isOpen = true
  stdin.on('error', () => {
    isOpen = false
  })
  const done = finished(stdin).catch(() => {})
  try {
    for await (const chunk of input instanceof Uint8Array ? [input] : input) {
      if (!isOpen) break
      if (!stdin.write(chunk)) await Promise.race([once(stdin, 'drain'), done])
    }
  } finally {
    stdin.end()
  }
}

async function collect(
  stream: Readable | null,
  bytesMax: number,
  onTooMuch: () => void = () => {},
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream ?? []) {
    const buffer: Buffer = chunk
    bytes += buffer.length
    if (bytes <= bytesMax) chunks.push(buffer)
    else onTooMuch()
  }
  return Buffer.concat(chunks)
}

/** Kills a process that was started `detached`, and its children. */
export function killGroup(child: Pick<ChildProcess, 'pid'>): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}

/** The error lines, without the hints that git prints for users at a terminal. */
function extractReason(stderr: string): string {
  const lines = stderr.split('\n')
  const fatal = lines.filter((line) => /^(fatal|error):/.test(line))
  return (fatal.length > 0 ? fatal : lines).slice(-3).join(' ').slice(0, 500)
}
