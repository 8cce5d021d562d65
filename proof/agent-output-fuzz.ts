/**
 * Agent programs that print anything at all: whatever it is, there is a report with a known end, it is short
 * and shows no control characters and no token, and nothing is done that did not say so and end well.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AgentReport, Commands } from 'loopwright'
import {
  type AgentEnd,
  type AgentProgram,
  agentProgram,
  knownPrograms,
  type ProgramName,
  programAgent,
} from 'loopwright/agents'
import { createAgentContext, type TestAgentContext } from 'loopwright/testing'
import type { Clock } from '#src/engine/index.ts'
import { seededRandom } from '#src/testing/seeded-random.ts'
import { hugeCase, type OutputCase, outputCase, type Recordings } from './agent-output-cases.ts'

export interface OutputFuzzOptions {
  readonly cases: number
  readonly first?: number
  /** One that is broken on purpose: to show that the proof would notice. */
  readonly sabotage?: keyof typeof broken
}

export interface OutputFuzzReport {
  readonly cases: number
  readonly ends: Readonly<Record<string, number>>
  /** Each begins with its seed. */
  readonly failures: readonly string[]
}

const hugeEvery = 5000
const failuresMax = 20
const token = 'token-0123456789abcdef'

const broken = {
  throws: (program) => ({
    ...program,
    reader: () => ({ ...program.reader(), read: (line) => JSON.parse(line) as [] }),
  }),
  believes: (program) => ({
    ...program,
    reader: () => ({
      ...program.reader(),
      conclude: () => ({ end: 'claimed', text: '', turns: 1 }),
    }),
  }),
  'shows all': (program) => ({
    ...program,
    reader: () => ({
      read: () => [],
      conclude: ({ stderr }) => ({ end: `${stderr} ${token}` as AgentEnd, text: '', turns: 1 }),
    }),
  }),
} satisfies Record<string, (program: AgentProgram) => AgentProgram>

export async function fuzzAgentOutput(options: OutputFuzzOptions): Promise<OutputFuzzReport> {
  const { cases, first = 1, sabotage } = options
  const programs = knownPrograms().map(({ name }) => ({
    program: sabotage === undefined ? agentProgram(name) : broken[sabotage](agentProgram(name)),
    recordings: recordingsOf(name),
  }))
  const ends: Record<string, number> = {}
  const failures: string[] = []
  for (let seed = first; seed < first + cases && failures.length < failuresMax; seed++) {
    const random = seededRandom(seed)
    const { program, recordings } = random.pick(programs)
    const output =
      seed % hugeEvery === 0
        ? hugeCase(random, recordings)
        : outputCase(random, recordings, isEndOf(agentProgram(program.name)))
    const context = createAgentContext()
    try {
      const report = await work(program, output, context)
      const problem = problemOf(report, output, context)
      if (problem !== undefined) failures.push(`seed ${seed} (${program.name}): ${problem}`)
      ends[report.ended ?? 'none'] = (ends[report.ended ?? 'none'] ?? 0) + 1
    } catch (error) {
      failures.push(`seed ${seed} (${program.name}): it threw ${String(error)}`)
    }
  }
  return { cases, ends, failures }
}

/** One output as bytes, for a program that really prints it. */
export function fuzzedOutput(
  seed: number,
  { program, isHuge }: { readonly program: ProgramName; readonly isHuge: boolean },
): Buffer {
  const random = seededRandom(seed)
  const recordings = recordingsOf(program)
  const { chunks } = isHuge
    ? hugeCase(random, recordings)
    : outputCase(random, recordings, isEndOf(agentProgram(program)))
  return Buffer.concat([...chunks].map(({ bytes }) => bytes))
}

const root = fileURLToPath(new URL('../..', import.meta.url))

function recordingsOf(name: string): Recordings {
  const folder = join(root, 'test/agents/fixtures', name)
  return readdirSync(folder).map((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== ''),
  )
}

/** A line after which its reader would have it that the work is done, or was. */
const isEndOf =
  (program: AgentProgram) =>
  (line: string): boolean =>
    program
      .reader()
      .read(line)
      .some(({ type }) => type === 'ended')

function work(
  program: AgentProgram,
  { chunks, exitCode }: OutputCase,
  context: TestAgentContext,
): Promise<AgentReport> {
  const commands: Commands = {
    async run({ onOutput }) {
      let stderr = ''
      for (const { bytes, stream } of chunks) {
        onOutput?.(bytes, stream)
        if (stream === 'stderr') stderr = `${stderr}${Buffer.from(bytes).toString()}`.slice(-4096)
      }
      const ended = exitCode === undefined ? { ended: 'signal' as const } : exited(exitCode)
      return { ...ended, stdout: '', stderr, durationMs: 0, outputBytes: 0 }
    },
  }
  const agent = programAgent({
    program,
    command: [program.name],
    commands,
    url: 'http://127.0.0.1:4140',
    token,
    home: '/nonexistent',
    settings: '/nonexistent',
    args: [],
    spending: 'gateway',
    clock: still,
  })
  return agent.work({ prompt: 'Do the task.' }, context)
}

const exited = (exitCode: number): { ended: 'exited'; exitCode: number } => ({
  ended: 'exited',
  exitCode,
})

/** No time passes. */
const still: Clock = {
  now: () => 0,
  sleep: (_ms, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
    }),
  turn: () => Promise.resolve(),
  random: () => 0.5,
}

const ends: ReadonlySet<string> = new Set([
  'claimed',
  'no-result',
  'limit',
  'refused',
  'provider',
  'interrupted',
  'crashed',
])
const reportCharsMax = 20_000
const noteCharsMax = 500
const notesMax = 2000
// oxlint-disable-next-line no-control-regex -- these are what is looked for.
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

function problemOf(
  { status, ended = 'none' as AgentEnd, text, turns }: AgentReport,
  { exitCode, isWithoutEnd }: OutputCase,
  { notes }: TestAgentContext,
): string | undefined {
  if (!ends.has(ended)) return `it ended in no known way: ${ended}`
  if (ended !== 'claimed' && status !== 'failed') return `${ended} is ${status}`
  if (ended === 'claimed' && exitCode !== 0) return `code ${exitCode} is a success`
  if (ended === 'claimed' && isWithoutEnd) return 'it is done and never said so'
  if (!Number.isSafeInteger(turns) || turns < 0) return `it had ${turns} turns`
  if (text.length > reportCharsMax || notes.length > notesMax) return 'it says too much'
  const shown = [text, ...notes.flatMap((note) => ('text' in note ? note.text : []))]
  if (shown.slice(1).some((one) => one.length > noteCharsMax)) return 'a note is too long'
  if (shown.some((one) => control.test(one))) return 'it shows control characters'
  return shown.some((one) => one.includes(token)) ? 'it shows the token' : undefined
}
