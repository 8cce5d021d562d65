/**
 * Has our program do a job where commands run, and reads what it says. It is not trusted: its lines are
 * parsed, limited in number and length, and refer to our own lists only.
 */

import { z } from 'zod'
import type { Commands } from '../../engine/index.ts'
import { FaultError, type Signal } from '../../loop/index.ts'
import { bootstrap, insideProgram } from './inside-program.ts'
import type { Job, Said } from './messages.ts'

const hits = z.string().max(4 * 1024 * 1024)
const id = z.string().max(2000)
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const SaidLine: z.ZodType<Said> = z.discriminatedUnion('type', [
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
]) as z.ZodType<Said>

export interface RunInsideOptions {
  readonly commands: Commands
  readonly signal: Signal
  /** The program that runs JavaScript; ours unless told. */
  readonly node?: string
  readonly onSaid: (said: Said) => void
}

const lineCharsMax = 8 * 1024 * 1024
const linesMax = 200_000
/** Over the time that the job has: for starting, and for what is under way when its time is over. */
const graceMs = 45_000

/** Resolves with what it said last, which is `end` when all went well. */
export async function runInside(job: Job, options: RunInsideOptions): Promise<void> {
  const { commands, signal, node = process.execPath } = options
  const lines = createLines(options.onSaid)
  const result = await commands.run(
    {
      program: node,
      args: ['-e', bootstrap],
      cwd: job.root,
      input: JSON.stringify({ ...insideProgram(), job }),
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
    `The search inside ended early (${result.ended}, exit code ${result.exitCode ?? 'none'}). ${why}`
  throw new FaultError({ code: 'repair-failed', message: message.slice(0, 2000), retryable: true })
}

interface Lines {
  push(chunk: Uint8Array): void
  hasEnded(): boolean
  problem(): string | undefined
}

function createLines(onSaid: (said: Said) => void): Lines {
  const decoder = new TextDecoder()
  let pending = ''
  let lines = 0
  let ended = false
  let problem: string | undefined
  const take = (line: string): void => {
    if (ended || ++lines > linesMax) return
    const said = parseLine(line)
    if (said === undefined) return
    if (said.type === 'problem') problem = said.message
    if (said.type === 'end') ended = true
    onSaid(said)
  }
  return {
    push(chunk) {
      pending += decoder.decode(chunk, { stream: true })
      const parts = pending.split('\n')
      pending = (parts.pop() ?? '').slice(0, lineCharsMax)
      for (const line of parts) take(line)
    },
    hasEnded: () => ended,
    problem: () => problem,
  }
}

/** What others print between our lines is passed over. */
function parseLine(line: string): Said | undefined {
  try {
    return SaidLine.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
