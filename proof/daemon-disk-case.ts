/**
 * One case of a full disk, in a process whose folder is a small disk of its own. Says what it found as
 * JSON. Started by daemon-disk.ts:
 *
 *   node daemon-disk-case.js '{ "base": "/tmp/…", "site": "sql.commit", "occurrence": 12 }'
 */

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type DaemonFinding, judgeVictim } from './daemon-kill-case.ts'
import { layOutVictim } from './daemon-victim.ts'
import { requireDaemon, startDaemon } from './killed-daemon.ts'

export interface DiskCase {
  readonly base: string
  readonly site: string
  readonly occurrence: number
}

export interface DiskCaseEnd {
  /** Whether the disk was full at all. */
  readonly wasFull: boolean
  /** That it waits was to be seen in the queue. */
  readonly waited: boolean
  /** From the moment that there was space again. */
  readonly resumedMs: number
  readonly findings: readonly DaemonFinding[]
}

/** Full for so long; the first try again is after five seconds. */
const fullMs = 3000
const resumeMsMax = 120_000

async function main({ base, site, occurrence }: DiskCase): Promise<DiskCaseEnd> {
  const place = await layOutVictim(base, 'small')
  const file = join(base, 'filler')
  const started = await startDaemon({
    state: place.state,
    preload: fileURLToPath(new URL('./daemon-failpoints.js', import.meta.url)),
    env: { LOOPWRIGHT_PROOF: JSON.stringify({ fill: { site, occurrence, file } }) },
  })
  const isRefused = typeof started === 'string'
  // It may be full before there is a daemon: then it says so, and whoever starts it tries again.
  if (isRefused && !/full|no space/i.test(started)) throw new Error(started)
  if (isRefused) rmSync(file)
  const daemon = isRefused ? await requireDaemon({ state: place.state }) : started
  try {
    const request = { file: place.file, workspace: place.workspace, attended: true }
    let refusal: unknown
    const submit = async (): Promise<string | undefined> => {
      const made = await daemon.ask('POST', '/runs', request, 'the-only-one')
      refusal = made.json
      return made.json.run?.id as string | undefined
    }
    let id = await submit()
    let waited = id === undefined || isRefused
    let freedAtMs = isRefused ? Date.now() : 0
    const began = Date.now()
    for (;;) {
      const isFull = existsSync(file)
      if (isFull && freedAtMs === 0 && (await isSeen())) {
        rmSync(file)
        freedAtMs = Date.now()
      }
      // A request that could not be kept is refused, and made again.
      if (id === undefined && !isFull) id = await submit()
      const { json } = await daemon.ask('GET', id === undefined ? '/queue' : `/runs/${id}`)
      if (id !== undefined && json.queue === undefined && json.run !== undefined) break
      if (Date.now() - began > resumeMsMax) {
        const last = JSON.stringify(id === undefined ? refusal : json)
        throw new Error(`it hangs: ${last}`)
      }
      await sleep(50)
    }
    async function isSeen(): Promise<boolean> {
      const fullAtMs = Date.now()
      while (Date.now() - fullAtMs < fullMs) {
        const { json } = await daemon.ask('GET', '/queue')
        waited ||= JSON.stringify(json).includes('"waitsFor":"time"')
        await sleep(50)
      }
      return true
    }
    const resumedMs = freedAtMs === 0 ? 0 : Date.now() - freedAtMs
    daemon.signal('SIGTERM')
    await daemon.ended
    const { findings } = await judgeVictim(place, 'small', new Set([id ?? '']), [])
    return { wasFull: freedAtMs > 0, waited, resumedMs, findings }
  } finally {
    daemon.signal('SIGKILL')
  }
}

const end = await main(JSON.parse(process.argv[2] ?? '{}') as DiskCase)
process.stdout.write(JSON.stringify(end))
