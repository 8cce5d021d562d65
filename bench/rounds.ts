/**
 * What a round costs besides its agents and checks: through a daemon, from the request to its report. At level 1 in the folder
 * itself; in a worktree beside the same by hand, in turns: `git worktree add`, two sandbox starts, `git add`, `git commit`.
 */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSandbox, previewLoop, trustLoop } from 'loopwright'
import { type BenchDaemon, startBenchDaemon } from './bench-daemon.ts'
import { atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'
import { git, wallMs, withRepository } from './worktree.ts'

const files = 500
const rounds = 20
/** The first ones fill caches. */
const warmUp = 3

const agentLine = 'cat >/dev/null; echo x >> log.txt'
const checkerLine = 'cat >/dev/null; echo unclear'

export const roundReport: Suite = {
  area: 'rounds',
  title: 'a round at level 1 without its agents, from the request to its end',
  run: ({ scale, note }) =>
    withRounds(reporting, async (stage) => {
      const took: number[] = []
      for (let number = -warmUp; number < Math.max(5, Math.round(rounds * scale)); number++) {
        const { totalMs, agentsMs } = await stage.play()
        if (number >= 0) took.push(totalMs - agentsMs)
      }
      note(`  ${took.map((ms) => ms.toFixed(0)).join(' ')} ms`)
      return [atMost('rounds.report', median(took), 50, 'ms', `${files} files`)]
    }),
}

export const roundInWorktree: Suite = {
  area: 'rounds',
  title: 'a round in a worktree beside git worktree add, two sandbox starts and git commit',
  run: ({ scale }) =>
    withRounds(working, async (stage) => {
      const bare = await openBare(stage.checkout)
      const took = { ours: [] as number[], bare: [] as number[] }
      for (let number = -warmUp; number < Math.max(5, Math.round(rounds * scale)); number++) {
        const { totalMs } = await stage.play()
        const bareMs = await bare(number)
        if (number < 0) continue
        took.ours.push(totalMs)
        took.bare.push(bareMs)
      }
      const shown = (values: readonly number[]): string => `${median(values).toFixed(0)} ms`
      const detail = `${shown(took.ours)} beside ${shown(took.bare)}, ${files} files`
      return [atMost('rounds.worktree', median(took.ours) / median(took.bare), 3, 'x', detail)]
    }),
}

const head = ['loop: round', 'name: chore', 'intent: Look.', 'memory: true', 'gather: [git-log]']

/** Agents in the process of the daemon, which take no time. */
const reporting = [
  ...head,
  'level: 1',
  'worktree: false',
  'agents: { maker: { script: [[{ say: looked }]] }, checker: { script: [[{ say: unclear }]] } }',
]

/** It ends with a question: its work is on its branch by then. */
const working = [
  ...head,
  'level: 2',
  'propose: commit',
  `agents: { maker: { command: [sh, -c, '${agentLine}'] }, checker: { command: [sh, -c, '${checkerLine}'] } }`,
]

interface Played {
  readonly totalMs: number
  readonly agentsMs: number
}

interface Rounds {
  readonly checkout: string
  play(): Promise<Played>
}

function withRounds<T>(loop: readonly string[], work: (rounds: Rounds) => Promise<T>): Promise<T> {
  return withRepository(files, (repository) =>
    withFolder(async (folder) => {
      const checkout = join(folder, 'work')
      cpSync(repository, checkout, { recursive: true })
      const state = join(folder, 'state')
      mkdirSync(state)
      const file = join(folder, 'chore.yaml')
      writeFileSync(file, `workspace: work\n${loop.join('\n')}\n`)
      await trustLoop(await previewLoop(file, state), state)
      const daemon = await startBenchDaemon(state)
      try {
        return await work({ checkout, play: () => play(daemon, file) })
      } finally {
        await daemon.stop()
      }
    }),
  )
}

interface Line {
  readonly atMs: number
  readonly event: { readonly type: string; readonly step?: string; readonly role?: string }
}

/** Until it ended, or asks a person. */
async function play(daemon: BenchDaemon, file: string): Promise<Played> {
  const startMs = Date.now()
  const response = await fetch(`${daemon.address}/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ file, again: true }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  const { run } = JSON.parse(text) as { readonly run: { readonly id: string } }
  const untilMs = startMs + 60_000
  while (Date.now() < untilMs) {
    const { body } = await daemon.get(`/runs/${run.id}/events?limit=1000`)
    const { items } = JSON.parse(body) as { readonly items: readonly Line[] }
    const end = items.find(({ event }) => isEnd(event))
    if (end !== undefined) return { totalMs: end.atMs - startMs, agentsMs: agentsIn(items) }
    // The times are those of the events: asking more often would only slow the daemon down.
    await sleep(250)
  }
  throw new Error(`The round ${run.id} did not end.`)
}

const isEnd = ({ type, step = '' }: Line['event']): boolean =>
  type === 'run-ended' || (type === 'step-started' && step.startsWith('ask:'))

function agentsIn(lines: readonly Line[]): number {
  const at = (type: string, step: string): number =>
    lines.find(({ event }) => event.type === type && event.step === step)?.atMs ?? 0
  return ['agent:maker#1', 'agent:checker#1']
    .map((step) => at('step-finished', step) - at('step-started', step))
    .reduce((sum, ms) => sum + ms, 0)
}

/** The same by hand: each time in a new worktree. */
async function openBare(checkout: string): Promise<(number: number) => Promise<number>> {
  const sandbox = await openSandbox({ requireTier: 'strong' })
  const never = new AbortController().signal
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b']
  return (number) => {
    const path = `${checkout}.bare-${number}`
    return wallMs(async () => {
      await git(checkout, 'worktree', 'add', '-q', '--no-track', '-b', `bare-${number}`, path)
      const commands = sandbox.commands({ workspace: path })
      for (const line of [agentLine, checkerLine]) {
        await commands.run({ program: 'sh', args: ['-c', line], cwd: path, input: 'x' }, never)
      }
      await git(path, 'add', '-A')
      await git(path, ...identity, 'commit', '-q', '-m', 'work')
    })
  }
}
