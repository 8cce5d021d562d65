/**
 * F8: the clock of the daemon's machine is set back and forth while runs work. Time-outs last as long as they
 * are to, events stay in order, no run is lost or driven twice, and none is charged for years.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHost, type RecordedEvent } from 'loopwright'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import { atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { type Ask, askerOf, countingLoop, endsOf, submit, writeLoop } from './daemon-loops.ts'
import { type DaemonProcess, startProcess } from './daemon-process.ts'
import { openSse } from './sse-client.ts'

const hourMs = 3_600_000
const jumps: readonly (readonly [name: string, ms: () => number])[] = [
  ['two hours back', () => -2 * hourMs],
  ['ten years on', () => 10 * 365 * 24 * hourMs],
  ['an hour on, for the summer', () => hourMs],
  ['to 1970', () => -Date.now()],
]
const timeoutS = 10

export const setClocks: Suite = {
  area: 'daemon',
  title: 'F8: clocks that are set while runs work',
  share: 0.05,
  async run(options) {
    const { problems, worst } = await setClock(options)
    for (const problem of problems) options.note(`  ${problem}`)
    return [
      atMost('daemon.clock-problems', problems.length, 0, 'runs', `${jumps.length} jumps`),
      atMost('daemon.clock-timeout-error', worst * 100, 5, '%', `of ${timeoutS} s`),
    ]
  },
}

export interface ClockResult {
  readonly problems: readonly string[]
  /** How far a time-out was off, as a share of it. */
  readonly worst: number
}

export async function setClock({
  scale,
}: Pick<SuiteOptions, 'scale' | 'note'>): Promise<ClockResult> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-clock-'))
  const state = join(folder, 'state')
  const clock = join(folder, 'clock')
  const at = new URL('./set-clock.js', import.meta.url).href
  const env = { PROOF_CLOCK: clock, NODE_OPTIONS: `--import=${at}` }
  const args = ['--max-concurrent-runs', '20']
  const daemon = await startProcess(state, { env, args })
  const problems: string[] = []
  const seconds = scale < 0.5 ? 1 : timeoutS
  let worst = 0
  try {
    const ask = askerOf(daemon)
    for (const [name, ms] of scale < 0.5 ? jumps.slice(1, 2) : jumps) {
      const stage = join(folder, name.replaceAll(/\W/g, '-'))
      const waiting = await writeLoop(state, join(stage, 'waits'), waitingLoop(seconds))
      const counting = await writeLoop(state, join(stage, 'counts'), countingLoop(5))
      const runs = [await submit(ask, waiting), await submit(ask, counting)] as const
      const timed = timeOf(daemon, runs[0])
      await sleep((seconds * 1000) / 3)
      set(daemon, clock, ms())
      problems.push(...(await findTaken(state, runs, name)))
      worst = Math.max(worst, Math.abs((await timed) / (seconds * 1000) - 1))
      const ended = await endsOf(ask, runs, 60_000)
      problems.push(...(await judge(ask, runs, ended, name)))
      set(daemon, clock, 0)
    }
    problems.push(...(await killAndGoOn(daemon, folder, clock)))
    return { problems, worst }
  } finally {
    await daemon.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Its one check takes too long, once; then it is at its limit of iterations. */
const waitingLoop = (seconds: number): string => `prompt: Wait.
agent: { command: [sh, -c, 'echo x >> count.txt'] }
checks: { slow: { run: 'sleep 1000', timeout: ${seconds}s } }
limits: { iterations: 1, time: 1h }
certify: { teeth: false }
`

function set(daemon: DaemonProcess, file: string, offsetMs: number): void {
  writeFileSync(file, `${offsetMs}`)
  process.kill(daemon.pid, 'SIGUSR2')
}

/** How long the check took, by a clock that nobody sets. */
async function timeOf({ port, token }: DaemonProcess, run: string): Promise<number> {
  const client = openSse({ port, token, path: `/runs/${run}/events` }, undefined)
  let startedMs = Number.NaN
  let tookMs = Number.NaN
  client.onMessage = (data) => {
    const { event } = JSON.parse(data) as RecordedEvent
    if (!('step' in event) || !event.step.startsWith('check:')) return
    if (event.type === 'step-started') startedMs = performance.now()
    if (event.type === 'step-finished') tookMs = performance.now() - startedMs
  }
  await client.ended
  return tookMs
}

/** Another process, whose clock is right, must not get hold of what the daemon drives. */
async function findTaken(
  state: string,
  runs: readonly string[],
  name: string,
): Promise<readonly string[]> {
  const journal = openLocalStore({ path: join(state, 'journal.db') })
  try {
    const rows = await Promise.all(runs.map((run) => journal.findRun(run)))
    return rows
      .filter(({ interrupted }) => interrupted)
      .map(({ status }) => `${name}: a run that is driven seems to be free (${status})`)
  } finally {
    await journal.close()
  }
}

async function judge(
  ask: Ask,
  runs: readonly string[],
  ended: readonly string[],
  name: string,
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const [index, wanted] of (['exhausted', 'completed'] as const).entries()) {
    const run = runs[index] ?? ''
    const { items } = await ask('GET', `/runs/${run}/events?limit=1000`)
    const events = items as readonly RecordedEvent[]
    if (ended[index] !== wanted) {
      const last = JSON.stringify(events.at(-1)?.event)
      problems.push(`${name}: ${ended[index]}, not ${wanted}: ${last}`)
    }
    if (events.some(({ seq }, place) => seq !== place + 1)) problems.push(`${name}: a gap`)
    if (events.some(({ atMs }, place) => atMs < (events[place - 1]?.atMs ?? 0))) {
      problems.push(`${name}: time goes back`)
    }
    const { activeMs } = (await ask('GET', `/runs/${run}/progress`)) as { activeMs: number }
    if (activeMs > 60_000) problems.push(`${name}: charged for ${activeMs} ms`)
  }
  return problems
}

/** Killed while its clock says 1970: the next daemon, whose clock is right, goes on at once. */
async function killAndGoOn(
  daemon: DaemonProcess,
  folder: string,
  clock: string,
): Promise<readonly string[]> {
  const { state } = daemon
  set(daemon, clock, -Date.now())
  await sleep(100)
  const file = await writeLoop(state, join(folder, 'killed'), countingLoop(8))
  const run = await submit(askerOf(daemon), file)
  await sleep(1000)
  await daemon.kill()
  const next = await startProcess(state)
  try {
    const [ended] = await endsOf(askerOf(next), [run], 60_000)
    const host = await openHost({ folder: state })
    const { state: last } = await host.inspect(run)
    await host.close()
    if (ended !== 'completed') return [`after a kill in 1970: ${ended}`]
    return last.iteration === 8 ? [] : [`after a kill in 1970: ${last.iteration} iterations`]
  } finally {
    await next.kill()
  }
}
