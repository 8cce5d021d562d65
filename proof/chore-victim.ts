/**
 * A process that is killed at a write of its store, and starts again until it is done: it starts the run of a tick, delivers a
 * report, or draws the conclusions that lower and raise levels.
 *
 *   node --import daemon-failpoints.js chore-victim.js '{ "state": "/tmp/…", "chore": "tick", "url": "http://…" }'
 */

import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHost } from 'loopwright'
import { openScheduler } from '#src/daemon/index.ts'
import { openSchedules } from '#src/daemon/schedules/open-schedules.ts'
import { systemClock } from '#src/engine/index.ts'
import type { Host } from '#src/host/host.ts'
import { deliverReports } from '#src/launch/deliver/deliver-reports.ts'
import { recordEscape } from '#src/launch/levels/record-escape.ts'
import { updateLevels } from '#src/launch/levels/update-levels.ts'
import { type ChoreJob, escapedAction, scheduleName, settledIn } from './chore-scene.ts'

const job = JSON.parse(process.argv[2] ?? '') as ChoreJob
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function startTick(host: Host): Promise<void> {
  const settings = {
    folder: host.folder,
    hostname: '127.0.0.1',
    port: 0,
    maxConcurrentRuns: 2,
    maxRunsPerWorkspace: 1,
    queuePolicy: 'fifo',
  } as const
  const scheduler = await openScheduler({ host, log, settings })
  const schedules = await openSchedules({ host, scheduler, log })
  while (!settledIn(await host.journal.schedules.find(scheduleName))) await sleep(10)
  await schedules.close()
  await scheduler.drain()
}

async function deliver({ folder, journal, blobs }: Host): Promise<void> {
  const { id } = await journal.findRun('reported')
  const parts = {
    folder,
    journal,
    blobs,
    environment: { LOOPWRIGHT_WEBHOOKS: job.url },
    operator: {},
    print: () => undefined,
    now: Date.now,
    signal: new AbortController().signal,
    onFailed: () => undefined,
  }
  while ((await deliverReports(parts, id)) !== undefined) await sleep(50)
}

async function lower(host: Host): Promise<void> {
  const base = { ...host, clock: systemClock }
  const { id } = await host.journal.findRun('acted')
  await recordEscape(base, id, { key: escapedAction, reason: 'it broke the shop', by: 'ann' })
  await updateLevels(base)
}

async function raise(host: Host): Promise<void> {
  await updateLevels({ ...host, clock: systemClock })
}

const host = await openHost({ folder: job.state })
await { tick: startTick, deliver, lower, raise }[job.chore](host)
await host.close()
if (job.counts !== undefined) {
  // The failpoints write there how often each was reached. On a busy machine the signal takes its time.
  process.kill(process.pid, 'SIGUSR2')
  while (!existsSync(job.counts)) await sleep(10)
}
process.exit(0)
