/**
 * Replays and forks by the built loopctl, counted by the scripted model's own log: a replay asks nothing,
 * and a fork only what follows the fork.
 */

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ModelAnswer, type ModelServer, startModelServer } from 'loopwright/testing'
import { atMost, type Result, type Suite } from '../bench/report.ts'

export const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))

/** Each takes two requests: a call of a tool, and a report. */
export const iterations = 4
const forkedAt = 3

const models = [
  'anthropic/claude-sonnet-4-5',
  'openai/gpt-5',
  'google/gemini-2.5-flash',
  'openai-compatible/local',
]

export const replays: Suite = {
  area: 'host',
  title: 'replays ask no model, forks only what is new',
  async run({ note }) {
    const found: Found[] = []
    for (const model of models) {
      note(`  ${model}`)
      found.push(await story(model))
    }
    return results(found)
  },
}

interface Found {
  readonly ran: number
  readonly replayed: number
  readonly same: boolean
  readonly forked: number
  /** What the ledger of the fork has beyond what the model billed for it. */
  readonly overcharged: number
}

function results(found: readonly Found[]): readonly Result[] {
  const sum = (of: (one: Found) => number): number => found.reduce((all, one) => all + of(one), 0)
  const recorded = sum(({ ran }) => ran)
  const expected = models.length * 2 * (iterations - forkedAt)
  const forked = sum((one) => one.forked)
  return [
    atMost(
      'host.replay-upstream-requests',
      sum(({ replayed }) => replayed),
      0,
      'requests',
      `${recorded} are on record, in ${models.length} formats`,
    ),
    atMost(
      'host.replay-differs',
      sum(({ same }) => (same ? 0 : 1)),
      0,
      'replays',
    ),
    {
      ...atMost('host.fork-upstream-requests', forked, expected, 'requests'),
      target: `=${expected}`,
      ok: forked === expected,
      detail: `after iteration ${forkedAt} of ${iterations}, in ${models.length} formats`,
    },
    atMost(
      'host.fork-overcharged',
      sum((one) => one.overcharged),
      0,
      'tokens',
    ),
  ]
}

async function story(model: string): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  await using server = await startModelServer((_request, number) => answer(number))
  try {
    mkdirSync(join(folder, 'work'))
    writeFileSync(join(folder, 'loop.yaml'), loopFile(server, model))
    await ctl(folder, 'run', join(folder, 'loop.yaml'), '--trust', '--in-place', '--name', 'story')
    const ran = server.requests.length
    const replay = await ctl(folder, 'replay', 'story')
    const replayed = server.requests.length - ran
    const from = server.requests.length
    await ctl(folder, 'fork', 'story', '--at', String(forkedAt), '--name', 'fork')
    const forked = server.requests.length - from
    const billed = server.bills
      .slice(from)
      .reduce((all, { input, output }) => all + input + output, 0)
    const { state } = (await ctl(folder, 'inspect', 'fork')) as {
      state: { spent: { tokens: number } }
    }
    const { same } = replay as { same: boolean }
    const overcharged = Math.abs(state.spent.tokens - billed)
    return { ran, replayed, same: same && ran === 2 * iterations, forked, overcharged }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const answer = (number: number): ModelAnswer =>
  number % 2 === 1
    ? { calls: [{ name: 'run', args: { command: 'echo x >> log.txt' } }] }
    : { text: `Line ${number / 2} is there.` }

export const loopFile = ({ url }: ModelServer, model: string): string => `
workspace: work
prompt: "Append a line. {{ progress }}"
checks: { enough: 'date; wc -l < log.txt; test "$(wc -l < log.txt)" -ge ${iterations}' }
agent: { model: ${model}, baseUrl: '${url}', apiKeyEnv: MODEL_KEY, maxOutputTokens: 1000 }
`

export const environment = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  LOOPWRIGHT_STATE: join(folder, 'state'),
  LOOP_USE_DAEMON: '0',
  MODEL_KEY: 'sk-proof-0123456789abcdef',
})

/** The last line that it prints. */
export function ctl(folder: string, ...args: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { env: environment(folder), maxBuffer: 64e6 }
    execFile(process.execPath, [loopctl, '--json', ...args], options, (_error, stdout, stderr) => {
      const last = stdout.trimEnd().split('\n').at(-1) ?? ''
      if (last === '') reject(new Error(`loopctl ${args.join(' ')}: ${stderr}`))
      else resolve(JSON.parse(last))
    })
  })
}
