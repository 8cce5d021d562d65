/** One of two processes that race for runs: takes jobs over IPC and says how each ended. */

import { setTimeout as sleep } from 'node:timers/promises'
import { driveRun } from '#src/engine/drive-run.ts'
import { systemClock } from '#src/engine/index.ts'
import { createBlobStore } from '#src/journal/index.ts'
import { createOwnerId } from '#src/system/index.ts'
import { createFakeCertifier } from '#src/testing/fake-certifier.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import { createDirectoryWorkspace } from '#src/workspace/index.ts'
import { openEffects } from './effects.ts'
import { observe } from './observe-loop.ts'
import type { RaceJob, RacerMessage } from './race-job.ts'
import { raceLoop } from './race-loop.ts'
import { placesIn, treeOf } from './victim-world.ts'

const places = placesIn(process.argv[2] ?? '.')
let aheadMs = 0
const journal = openLocalStore({ path: places.journal, now: () => Date.now() + aheadMs })
const blobs = createBlobStore({ root: places.blobs })

const tell = (message: RacerMessage): void => void process.send?.(message)

async function race(job: RaceJob): Promise<void> {
  aheadMs = job.aheadMs
  const effects = openEffects(job.effects)
  const holding = (): void => tell({ type: 'holding', race: job.race })
  const loop = raceLoop(job.work, job.hold, holding)
  const observed = observe(
    loop,
    {},
    {
      began: async (place, attempt) =>
        effects.write({ type: 'began', ...place, attempt, tree: await treeOf(job.work) }),
      resolved: (place, hash) => effects.write({ type: 'resolved', ...place, hash }),
    },
  )
  const workspace = createDirectoryWorkspace({ path: job.work, blobs })
  const certifier = createFakeCertifier()
  const ports = { journal, blobs, workspace, clock: systemClock, certifier }
  await startAt(job.atMs)
  const end = await driveRun(job.run, observed.loop, ports, { owner: createOwnerId() }).then(
    ({ type }) => type,
    codeOf,
  )
  effects.close()
  tell({ type: 'done', race: job.race, end })
}

/** To the millisecond: a timer alone would let one of them be late. */
async function startAt(atMs: number): Promise<void> {
  await sleep(Math.max(0, atMs - Date.now() - 2))
  while (Date.now() < atMs);
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

process.on('message', (job: RaceJob) => void race(job))
process.on('disconnect', () => process.exit())
tell({ type: 'ready' })
