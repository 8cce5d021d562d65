/**
 * F6: another process holds the record for a moment or for half a minute while runs work; another reads an
 * old state for long, so that the log cannot be folded; many processes open a new record at once.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '#src/journal/index.ts'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { askerOf, countingLoop, endsOf, submit, writeLoop } from './daemon-loops.ts'
import { startProcess } from './daemon-process.ts'
import { openWriter } from './event-writer.ts'

const holdsMs = [100, 500, 2000, 10_000, 30_000]
const runsAtOnce = 3
const processesAtOnce = 20
const pinnedBytes = 80 * 1024 * 1024
const mebibyte = 1024 * 1024
const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))

export const busyRecord: Suite = {
  area: 'daemon',
  title: 'F6: a record that others hold',
  share: 0.05,
  async run(options) {
    const { note } = options
    const held = await holdRecord(options)
    const pinned = await pinLog(options)
    const crowd = await startCrowd(options)
    for (const problem of [...held.problems, ...crowd.problems]) note(`  ${problem}`)
    return [
      atLeast('daemon.busy-held', held.heldMs / 1000, 0.5, 's', `${holdsMs.length} times`),
      atMost('daemon.busy-failed-runs', held.problems.length, 0, 'runs'),
      atMost('daemon.busy-longest-answer', held.longestMs, 1000, 'ms', 'while it was held'),
      atMost('journal.log-after-reader', pinned.afterMiB, 64, 'MiB', `${pinned.mostMiB} before`),
      atMost('journal.log-folded-in', pinned.foldedMs / 1000, 10, 's'),
      atMost('journal.crowd-failed', crowd.problems.length, 0, 'runs', `${crowd.all} at once`),
    ]
  },
}

export interface Held {
  readonly problems: readonly string[]
  readonly heldMs: number
  /** The slowest answer of the daemon while it could not write. */
  readonly longestMs: number
}

export async function holdRecord({ scale }: Pick<SuiteOptions, 'scale'>): Promise<Held> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-busy-'))
  const state = join(folder, 'state')
  const daemon = await startProcess(state)
  const ask = askerOf(daemon)
  try {
    const runs: string[] = []
    const isSmall = scale < 0.5
    for (let n = 0; n < (isSmall ? 1 : runsAtOnce); n++) {
      const file = await writeLoop(state, join(folder, `${n}`), countingLoop(isSmall ? 3 : 30))
      runs.push(await submit(ask, file))
    }
    const other = openDatabase(join(state, 'journal.db'), 'NORMAL')
    let longestMs = 0
    let heldMs = 0
    for (const wholeMs of holdsMs) {
      const ms = Math.max(100, wholeMs * scale)
      other.exec('BEGIN IMMEDIATE')
      const untilMs = performance.now() + ms
      while (performance.now() < untilMs) {
        const startMs = performance.now()
        await ask('GET', '/runs')
        longestMs = Math.max(longestMs, performance.now() - startMs)
        await sleep(50)
      }
      other.exec('ROLLBACK')
      heldMs += ms
      await sleep(300)
    }
    other.close()
    const statuses = await endsOf(ask, runs, 120_000)
    const problems = statuses.filter((status) => status !== 'completed')
    return { problems: problems.map((status) => `a run is ${status}`), heldMs, longestMs }
  } finally {
    await daemon.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface Pinned {
  readonly mostMiB: number
  readonly afterMiB: number
  readonly foldedMs: number
}

/** Somebody reads an old state while much is written, and then is done. */
export async function pinLog({ scale }: Pick<SuiteOptions, 'scale'>): Promise<Pinned> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-log-'))
  const path = join(folder, 'journal.db')
  const sizeMiB = (): number => Math.round(statSync(`${path}-wal`).size / mebibyte)
  try {
    const writer = await openWriter(folder, 'written')
    const reader = openDatabase(path, 'NORMAL')
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM events').get()
    await writer.write(Math.round((pinnedBytes * scale) / 50_000), 50_000, 0)
    const mostMiB = sizeMiB()
    reader.exec('COMMIT')
    reader.close()
    // Nobody writes from here on.
    const startMs = performance.now()
    while (sizeMiB() >= 64 && performance.now() - startMs < 30_000) await sleep(50)
    const found = { mostMiB, afterMiB: sizeMiB(), foldedMs: performance.now() - startMs }
    await writer.end()
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface Crowd {
  readonly all: number
  readonly problems: readonly string[]
}

/** Many `loopctl run` on a record that is not there yet. */
export async function startCrowd({ scale }: Pick<SuiteOptions, 'scale'>): Promise<Crowd> {
  const all = Math.max(4, Math.round(processesAtOnce * scale))
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-crowd-'))
  const state = join(folder, 'state')
  const trust = join(folder, 'trust')
  try {
    const files: string[] = []
    for (let n = 0; n < all; n++) {
      files.push(await writeLoop(trust, join(folder, `${n}`), countingLoop(1)))
    }
    const ended = await Promise.all(files.map((file) => endOf(startRun(state, file))))
    return { all, problems: ended.filter((problem) => problem !== undefined) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function startRun(state: string, file: string): ChildProcess {
  const words = [
    '--state',
    state,
    '--no-daemon',
    'run',
    file,
    '--trust',
    '--attended',
    '--in-place',
  ]
  return spawn(process.execPath, [loopctl, ...words], {
    env: { PATH: process.env['PATH'] ?? '', HOME: state, USER: 'tester' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function endOf(child: ChildProcess): Promise<string | undefined> {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-2000)
    })
  }
  return new Promise((resolve) => {
    child.on('close', (code) => resolve(code === 0 ? undefined : `exit ${code}: ${said}`))
  })
}
