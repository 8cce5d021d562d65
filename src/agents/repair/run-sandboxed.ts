/**
 * Runs a job where commands run, and reads its output. The output is not trusted: its lines are
 * parsed, limited in number and length, and refer only to our own lists.
 */

import { z } from 'zod'
import type { Commands } from '../../engine/index.ts'
import { FaultError, type Signal } from '../../loop/index.ts'
import type { Job, SandboxMessage } from './messages.ts'
import { bootstrap, sandboxedProgram } from './sandboxed-program.ts'

const hits = z.string().max(4 * 1024 * 1024)
const id = z.string().max(2000)
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const messageSchema: z.ZodType<SandboxMessage> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('test'),
    id,
    ok: z.boolean(),
    ms: z.number().min(0),
    hits,
    error: z.string().max(1000).optional(),
    hung: z.boolean().optional(),
    unsupported: z.boolean().optional(),
  }),
  z.object({ type: z.literal('again'), id, ok: z.boolean(), ms: z.number().min(0) }),
  z.object({ type: z.literal('loaded'), file: id, ms: z.number().min(0), hits }),
  z.object({
    type: z.literal('covered'),
    file: id,
    ranges: z.array(z.tuple([count, count, z.number().min(0)])).max(200_000),
  }),
  z.object({ type: z.literal('tried'), upTo: count, hung: count }),
  z.object({ type: z.literal('overfit'), edit: count, failed: count }),
  z.object({ type: z.literal('found'), edit: count }),
  z.object({ type: z.literal('problem'), message: z.string().max(20_000) }),
  z.object({ type: z.literal('end'), next: count, hung: count }),
]) as z.ZodType<SandboxMessage>

export interface RunSandboxedOptions {
  readonly commands: Commands
  readonly signal: Signal
  /** The program that runs JavaScript. Default: the one that runs this process. */
  readonly node?: string
  readonly onMessage: (message: SandboxMessage) => void
}

const lineCharsMax = 8 * 1024 * 1024
const linesMax = 200_000
/**
 * In addition to the deadline of the job: for the start, and for work in progress at the deadline.
 */
const graceMs = 45_000

/** Resolves when the job has reported its end; rejects otherwise. */
export async function runSandboxed(job: Job, options: RunSandboxedOptions): Promise<void> {
  const { commands, signal, node = process.execPath } = options
  const lines = createLines(options.onMessage)
  const result = await commands.run(
    {
      program: node,
      args: ['-e', bootstrap],
      cwd: job.root,
      input: JSON.stringify({ ...sandboxedProgram(), job }),
      timeoutMs: job.deadlineMs + graceMs,
      outputBytesMax: 64 * 1024,
      onOutput: lines.push,
    },
    signal,
  )
  signal.throwIfAborted()
  if (lines.hasEnded()) return
  const why = result.stderr.trim().split('\n').at(-1) ?? ''
  const message =
    lines.problem() ??
    `The search in the sandbox ended early (${result.ended}, exit code ${result.exitCode ?? 'none'}). ${why}`
  throw new FaultError({ code: 'repair-failed', message: message.slice(0, 2000), retryable: true })
}

interface Lines {
  push(chunk: Uint8Array): void
  hasEnded(): boolean
  problem(): string | undefined
}

function createLines(onMessage: (message: SandboxMessage) => void): Lines {
  const decoder = new TextDecoder()
  let pending = ''
  let lines = 0
  let ended = false
  let problem: string | undefined
  const handleLine = (line: string): void => {
    if (ended || ++lines > linesMax) return
    const message = parseLine(line)
    if (message === undefined) return
    if (message.type === 'problem') problem = message.message
    if (message.type === 'end') ended = true
    onMessage(message)
  }
  return {
    push(chunk) {
      pending += decoder.decode(chunk, { stream: true })
      const parts = pending.split('\n')
      pending = (parts.pop() ?? '').slice(0, lineCharsMax)
      for (const line of parts) handleLine(line)
    },
    hasEnded: () => ended,
    problem: () => problem,
  }
}

/** Other output between our lines is ignored. */
function parseLine(line: string): SandboxMessage | undefined {
  try {
    return messageSchema.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
