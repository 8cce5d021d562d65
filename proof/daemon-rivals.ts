/**
 * F7: several daemons on one record. One of them has it, the others are refused at once; whatever a
 * crash left behind, and however the one that has it is held up, no step is done twice.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHost } from 'loopwright'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { layOutVictim, type VictimPlace } from './daemon-victim.ts'
import { type DaemonProcess, requireDaemon, startDaemon, withFolder } from './killed-daemon.ts'

export interface RivalReport {
  readonly races: number
  /** Races that had another number of winners than one. */
  readonly notOne: readonly string[]
  readonly refusedMs: readonly number[]
  readonly repeated: readonly string[]
}

const racesWanted = 500
const tracksMax = 2
const runMsMax = 120_000

/** What the one before left behind. */
const remains = ['nothing', 'stale pid', 'reused pid'] as const

export async function runRivals({
  scale,
  note,
}: Pick<SuiteOptions, 'scale' | 'note'>): Promise<RivalReport> {
  const races = Math.max(1, Math.round(racesWanted * scale))
  const ends = await Promise.allSettled(
    Array.from({ length: tracksMax }, (_, track) => raceOn(track, races, note)),
  )
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const tracks = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  return {
    races: tracks.reduce((sum, track) => sum + track.races, 0),
    notOne: tracks.flatMap(({ notOne }) => notOne),
    refusedMs: tracks.flatMap(({ refusedMs }) => refusedMs),
    repeated: tracks.flatMap(({ repeated }) => repeated),
  }
}

/** Every second race, on a separate state folder. */
async function raceOn(
  track: number,
  races: number,
  note: (text: string) => void,
): Promise<RivalReport> {
  const notOne: string[] = []
  const refusedMs: number[] = []
  let held = 0
  return withFolder(async (base) => {
    const place = await layOutVictim(base, 'small')
    for (let race = track; race < races; race += tracksMax) {
      held++
      // The first on each track makes the folder that the others leave something in.
      const left = remains[Math.floor(race / tracksMax) % remains.length] ?? 'nothing'
      leaveBehind(place.state, left)
      const rivals = await Promise.all([0, 1].map(() => startRival(place.state)))
      const winners = rivals.flatMap(({ daemon }) => daemon ?? [])
      const [winner] = winners
      if (winners.length !== 1 || winner === undefined) {
        notOne.push(`${left}: ${rivals.map(({ text }) => text).join(' | ')}`)
        await Promise.all(winners.map(stop))
        continue
      }
      refusedMs.push(...(await driveHeldUp(winner, place, race)))
      if (race % 50 === 49) note(`  ${race + 1} of ${races}`)
    }
    return { races: held, notOne, refusedMs, repeated: await repeatedSteps(place.state) }
  })
}

async function startRival(
  state: string,
): Promise<{ readonly daemon?: DaemonProcess; readonly text: string }> {
  const daemon = await startDaemon({ state })
  return typeof daemon === 'string' ? { text: daemon } : { daemon, text: 'listens' }
}

async function stop(daemon: DaemonProcess): Promise<void> {
  daemon.signal('SIGTERM')
  await daemon.ended
}

/** A number that is in use by somebody else, or by nobody any more. */
function leaveBehind(state: string, what: (typeof remains)[number]): void {
  if (what === 'nothing') return
  const pid = what === 'stale pid' ? 4_000_000 : process.pid
  writeFileSync(join(state, 'daemon', 'loopd.pid'), `${pid}\n`, { mode: 0o600 })
}

/** Runs one, and in the middle of it is stopped while another daemon comes, and woken again. */
async function driveHeldUp(
  winner: DaemonProcess,
  { file, workspace, state }: VictimPlace,
  race: number,
): Promise<readonly number[]> {
  const { json } = await winner.ask('POST', '/runs', { file, workspace, again: true })
  const refusedMs: number[] = []
  const began = Date.now()
  for (let looks = 0; ; looks++) {
    const { json: seen } = await winner.ask('GET', `/runs/${json.run.id}`)
    if (seen.queue === undefined) break
    if (looks === race % 5) {
      winner.signal('SIGSTOP')
      const start = performance.now()
      const { daemon } = await startRival(state)
      refusedMs.push(daemon === undefined ? performance.now() - start : Number.POSITIVE_INFINITY)
      if (daemon !== undefined) await stop(daemon)
      winner.signal('SIGCONT')
    }
    if (Date.now() - began > runMsMax) throw new Error('The run does not end.')
    await sleep(20)
  }
  // Every other one goes as a crash does.
  winner.signal(Math.floor(race / tracksMax) % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
  await winner.ended
  return refusedMs
}

async function repeatedSteps(state: string): Promise<readonly string[]> {
  const host = await openHost({ folder: state })
  try {
    const found: string[] = []
    for (const run of await host.list()) {
      const started = new Set<string>()
      for await (const { event } of host.events(run.id, { follow: false })) {
        if (event.type !== 'step-started') continue
        const step = `${run.name} ${event.iteration}/${event.step}`
        if (started.has(step)) found.push(step)
        started.add(step)
      }
      if (run.status !== 'completed') found.push(`${run.name} is ${run.status}`)
    }
    return found
  } finally {
    await host.close()
  }
}

const refusedMsMax = 1000

/** The time of bare Node is the machine's business. */
async function measureNode(): Promise<number> {
  return withFolder(async (state) => {
    const daemon = await requireDaemon({ state: join(state, 'state') })
    await stop(daemon)
    return daemon.readyMs
  })
}

export const daemonRivals: Suite = {
  area: 'daemon',
  title: 'F7: several daemons on one record',
  share: 0.05,
  async run(options) {
    const readyMs = await measureNode()
    const { races, notOne, refusedMs, repeated } = await runRivals(options)
    const sorted = refusedMs.toSorted((a, b) => a - b)
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0
    const wanted = Math.floor(racesWanted * Math.min(1, options.scale))
    return [
      atLeast('daemon.rivals', races, wanted, 'races'),
      atMost('daemon.rivals-not-one', notOne.length, 0, 'races', notOne[0]),
      atMost('daemon.rivals-repeated', repeated.length, 0, 'steps', repeated[0]),
      atMost(
        'daemon.rivals-refused',
        p95,
        refusedMsMax,
        'ms p95',
        `the whole process; one that starts is ready in ${Math.round(readyMs)} ms`,
      ),
    ]
  },
}
