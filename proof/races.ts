/**
 * Two processes race for one run: exactly one drives it. And one that was frozen past its lease, and
 * wakes up after another took the run over, changes nothing.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RecordedEvent, RunId } from 'loopwright'
import { createRun, loadRun, type Store, systemClock } from '#src/engine/index.ts'
import { createBlobStore } from '#src/journal/index.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { placeKey, readEffects } from './effects.ts'
import { inTime } from './in-time.ts'
import { observe } from './observe-loop.ts'
import type { Hold, RaceJob, RacerMessage } from './race-job.ts'
import { raceLoop } from './race-loop.ts'
import { asRunId, placesIn, treeOf } from './victim-world.ts'

const racesWanted = 500
/** Every so many a holder is frozen. */
const frozenEvery = 10
/** More than any lease lasts. */
const pastLeaseMs = 60_000
const hangMs = 60_000
const program = fileURLToPath(new URL('./racer.js', import.meta.url))

export const races: Suite = {
  area: 'engine',
  title: 'two processes race for one run',
  share: 0.05,
  async run(options) {
    const { held, all, frozen, problems } = await runRaces(options)
    const detail = `${frozen} of them with a frozen holder`
    return [
      atLeast('engine.races', held, all, 'races', detail),
      atMost('engine.races-double-steps', problems.length, 0, 'steps', problems[0]),
    ]
  },
}

export interface RaceReport {
  readonly held: number
  readonly all: number
  readonly frozen: number
  readonly problems: readonly string[]
}

interface Track {
  readonly base: string
  readonly journal: Store
  readonly racers: readonly [Racer, Racer]
  /** Of the one that comes second. */
  readonly aheadMs: number
}

export interface RaceOptions extends Pick<SuiteOptions, 'scale' | 'note'> {
  /** For one racer every lease has run out: to show that the proof would notice. */
  readonly sabotage?: 'no-leases'
}

export async function runRaces(options: RaceOptions): Promise<RaceReport> {
  const base = mkdtempSync(join(tmpdir(), 'loopwright-race-'))
  const { journal: path } = placesIn(base)
  mkdirSync(dirname(path), { recursive: true })
  const journal = openLocalStore({ path })
  const racers = [startRacer(base), startRacer(base)] as const
  const problems: string[] = []
  const all = Math.max(2, Math.round(racesWanted * options.scale))
  let held = 0
  let frozen = 0
  try {
    await Promise.all(racers.map((racer) => racer.wait('ready', 0)))
    for (let race = 1; race <= all; race++) {
      const freezes = race % frozenEvery === 2
      if (freezes) frozen++
      const aheadMs = options.sabotage === undefined ? 0 : pastLeaseMs
      const track = { base, journal, racers, aheadMs }
      const found = await (freezes ? freeze(track, race) : compete(track, race))
      if (found.length === 0) held++
      for (const problem of found) {
        problems.push(`race ${race}${freezes ? ', frozen' : ''}: ${problem}`)
        options.note(`  ${problems.at(-1)}`)
      }
      if (race % 100 === 0) options.note(`  ${race} of ${all}`)
    }
  } finally {
    for (const racer of racers) racer.child.kill('SIGKILL')
    await journal.close()
    rmSync(base, { recursive: true, force: true })
  }
  return { held, all, frozen, problems }
}

async function compete(track: Track, race: number): Promise<readonly string[]> {
  const { base, journal, racers, aheadMs } = track
  const job = await lay(base, journal, race, 'pass')
  const atMs = Date.now() + 10
  // In some races the second comes when the first is in the middle of the run, or at its end.
  const lateMs = [0, 0, 0, 3, 10, 30][race % 6] ?? 0
  const [first, second] = race % 2 === 0 ? racers : [racers[1], racers[0]]
  const [one, other] = await Promise.all([
    first.run({ ...job, atMs }),
    second.run({ ...job, atMs: atMs + lateMs, aheadMs }),
  ])
  const ends = [one, other].toSorted().join(' ')
  const events = await journal.read(job.run)
  const starts = events.filter(({ event }) => event.type === 'run-started').length
  return [
    ...(['ended ended', 'ended run-busy'].includes(ends) ? [] : [`they end as ${ends}`]),
    ...(starts === 1 ? [] : [`it was started ${starts} times`]),
    ...(await doubles(journal, job, 1)),
  ]
}

/** The holder is stopped in the middle of a step, and goes on when the run has ended without it. */
async function freeze({ base, journal, racers }: Track, race: number): Promise<readonly string[]> {
  const hold: Hold = race % (2 * frozenEvery) === 2 ? 'fault' : 'return'
  const job = await lay(base, journal, race, hold)
  const [holder, rival] = racers
  const held = holder.run(job)
  await holder.wait('holding', race)
  holder.child.kill('SIGSTOP')
  const end = await rival.run({ ...job, aheadMs: pastLeaseMs })
  const before = await journal.read(job.run)
  const tree = await treeOf(job.work)
  holder.child.kill('SIGCONT')
  const woken = await held
  const after = await journal.read(job.run)
  return [
    ...(end === 'ended' ? [] : [`the rival ends as ${end}`]),
    ...(woken === 'fenced' ? [] : [`the woken one ends as ${woken}`]),
    ...(after.length === before.length ? [] : ['the woken one wrote to the record']),
    ...((await treeOf(job.work)) === tree ? [] : ['the woken one changed files']),
    ...(await doubles(journal, job, 2)),
  ]
}

/** A run and its files, created here. */
async function lay(base: string, journal: Store, race: number, hold: Hold): Promise<RaceJob> {
  const work = join(base, 'work', String(race))
  mkdirSync(work, { recursive: true })
  writeFileSync(join(work, 'first.txt'), 'nothing yet\n')
  const run = runOf(race)
  const ports = {
    journal,
    blobs: createBlobStore({ root: placesIn(base).blobs }),
    clock: systemClock,
  }
  // With its observer, because that is part of the code that is driven.
  const silent = { began: () => undefined, resolved: () => undefined }
  const { loop } = observe(
    raceLoop(work, hold, () => undefined),
    {},
    silent,
  )
  await createRun(loop, ports, { id: run, name: `race-${race}`, workspace: work })
  const effects = join(base, `effects-${race}.log`)
  return { race, run, work, effects, hold, atMs: Date.now(), aheadMs: 0 }
}

const runOf = (race: number): RunId =>
  asRunId(`01890000-0000-7000-8000-${String(race).padStart(12, '0')}`)

/** Steps that ran more often than they should, and files that are not those of the record. */
async function doubles(
  journal: Store,
  { run, work, effects }: RaceJob,
  holds: number,
): Promise<readonly string[]> {
  const ran = readEffects(effects).flatMap((effect) =>
    effect.type === 'began' ? [placeKey(effect)] : [],
  )
  const finished = finishedIn(await journal.read(run))
  const wrong = [...finished].filter((place) => {
    const allowed = place === '1/hold#1' ? holds : 1
    return ran.filter((one) => one === place).length !== allowed
  })
  const { state } = await loadRun(journal, run)
  return [
    ...wrong.map((place) => `${place} ran ${ran.filter((one) => one === place).length} times`),
    ...(finished.size === 8 ? [] : [`${finished.size} steps have a result`]),
    ...((await treeOf(work)) === state.tree ? [] : ['the files are not those of the record']),
  ]
}

const finishedIn = (events: readonly RecordedEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ event }) => (event.type === 'step-finished' ? [placeKey(event)] : [])))

interface Racer {
  readonly child: ChildProcess
  /** Resolves with how it ended. */
  run(job: RaceJob): Promise<string>
  wait(type: RacerMessage['type'], race: number): Promise<RacerMessage>
}

function startRacer(base: string): Racer {
  const child = fork(program, [base])
  const hear: Racer['wait'] = (type, race) =>
    new Promise((resolve, reject) => {
      const onMessage = (message: RacerMessage): void => {
        if (message.type !== type || ('race' in message && message.race !== race)) return
        child.off('message', onMessage)
        child.off('exit', onExit)
        resolve(message)
      }
      const onExit = (code: number | null): void => reject(new Error(`a racer ended with ${code}`))
      child.on('message', onMessage)
      child.once('exit', onExit)
    })
  const wait: Racer['wait'] = (type, race) => inTime(hear(type, race), hangMs, `race ${race}`)
  return {
    child,
    wait,
    async run(job) {
      const done = wait('done', job.race)
      child.send(job)
      const message = await done
      return message.type === 'done' ? message.end : ''
    },
  }
}
