/**
 * Kills a process with SIGKILL before and after every write of its store while it starts a tick, delivers a report, or changes
 * a level; a third of the processes that recover as well. The last one finishes: nothing is lost, and nothing happens twice.
 */

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { seededRandom } from '#src/testing/seeded-random.ts'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { type Chore, type ChoreJob, chores, judge, layOut } from './chore-scene.ts'
import { inTurns } from './in-turns.ts'
import { withFolder } from './killed-daemon.ts'
import { describeKill } from './run-victim.ts'
import type { Kill } from './victim-job.ts'

const program = fileURLToPath(new URL('./chore-victim.js', import.meta.url))
const preload = fileURLToPath(new URL('./daemon-failpoints.js', import.meta.url))
const hangMs = 120_000

type Life = 'done' | 'killed' | { readonly failed: string }

function live(
  job: ChoreJob,
  proof: { readonly kill?: Kill; readonly counts?: string },
): Promise<Life> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', preload, program, JSON.stringify(job)], {
      env: { PATH: process.env['PATH'], HOME: job.state, LOOPWRIGHT_PROOF: JSON.stringify(proof) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    let isHung = false
    const timer = setTimeout(() => {
      isHung = true
      child.kill('SIGKILL')
    }, hangMs)
    child.stderr.on('data', (chunk: Buffer) => {
      errors = `${errors}${chunk.toString('utf8')}`.slice(-4000)
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (isHung) resolve({ failed: `it did not end: ${errors}` })
      else if (signal === 'SIGKILL') resolve('killed')
      else if (code === 0) resolve('done')
      else resolve({ failed: `it ended with ${code ?? signal}: ${errors}` })
    })
  })
}

interface Receiver {
  readonly url: string
  /** In the order in which they came. */
  readonly ids: readonly string[]
  close(): void
}

async function openReceiver(): Promise<Receiver> {
  const ids: string[] = []
  const server = createServer((request, response) => {
    ids.push(String(request.headers['webhook-id']))
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/reports`
  return {
    url,
    ids,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export interface ChoreEnd {
  readonly killed: readonly Kill[]
  readonly findings: readonly string[]
}

export async function runChoreCase(chore: Chore, kills: readonly Kill[]): Promise<ChoreEnd> {
  const receiver = await openReceiver()
  try {
    return await withFolder(async (base) => {
      const job = { state: join(base, 'state'), chore, url: receiver.url }
      await layOut(base, job)
      const killed: Kill[] = []
      for (const kill of [...kills, undefined]) {
        const life = await live(job, kill === undefined ? {} : { kill })
        if (life === 'killed' && kill !== undefined) killed.push(kill)
        else if (life !== 'done') return { killed, findings: [JSON.stringify(life)] }
      }
      const seen = { deliveries: receiver.ids, kills: killed.length }
      return { killed, findings: await judge(job, seen) }
    })
  } finally {
    receiver.close()
  }
}

/** How often each write is reached by a process that is not killed. */
async function countSites(chore: Chore): Promise<ReadonlyMap<string, number>> {
  const receiver = await openReceiver()
  try {
    return await withFolder(async (base) => {
      const job = { state: join(base, 'state'), chore, url: receiver.url }
      await layOut(base, job)
      const counts = join(base, 'counts')
      const life = await live({ ...job, counts }, { counts })
      if (life !== 'done') throw new Error(`${chore} does not end: ${JSON.stringify(life)}`)
      const all = JSON.parse(readFileSync(counts, 'utf8')) as [string, number][]
      return new Map(all.filter(([site]) => site.startsWith('sql.')))
    })
  } finally {
    receiver.close()
  }
}

const casesWanted = 160
const atOnce = 2

interface ChoreCase {
  readonly chore: Chore
  readonly kills: readonly Kill[]
}

/** All of the chores in turn, each at all of its writes. */
async function planCases(scale: number): Promise<readonly ChoreCase[]> {
  const random = seededRandom(1)
  const count = Math.max(chores.length, Math.round(casesWanted * Math.min(1, scale)))
  const points = new Map<Chore, readonly Kill[]>()
  for (const chore of chores) {
    const sites = [...(await countSites(chore))]
    const all = sites.flatMap(([site, times]) =>
      (['before', 'after'] as const).map((phase) => ({
        site,
        phase,
        occurrence: random.between(1, times),
      })),
    )
    points.set(chore, all)
  }
  return Array.from({ length: count }, (_, at) => {
    const chore = chores[at % chores.length] ?? 'tick'
    const all = points.get(chore) ?? []
    const first = all[Math.floor(at / chores.length) % Math.max(1, all.length)]
    const more = random.chance(1 / 3) && all.length > 0 ? [random.pick(all)] : []
    return { chore, kills: first === undefined ? [] : [first, ...more] }
  })
}

export interface ChoreKills {
  readonly cases: number
  readonly kills: number
  readonly findings: readonly string[]
}

export async function runChoreKills({
  scale,
  note,
}: Pick<SuiteOptions, 'scale' | 'note'>): Promise<ChoreKills> {
  const cases = await planCases(scale)
  const findings: string[] = []
  let kills = 0
  let done = 0
  await inTurns(cases, atOnce, async (one) => {
    const end = await runChoreCase(one.chore, one.kills)
    kills += end.killed.length
    for (const text of end.findings) {
      findings.push(`${one.chore}, ${one.kills.map(describeKill).join(', ')}: ${text}`)
      note(`  ${findings.at(-1)}`)
    }
    if (++done % 20 === 0) note(`  ${done} of ${cases.length}`)
  })
  return { cases: cases.length, kills, findings }
}

export const choreKills: Suite = {
  area: 'schedules',
  title: 'kill -9 at every write of the store: ticks, deliveries, levels that fall and rise',
  share: 0.1,
  async run(options) {
    const { cases, kills, findings } = await runChoreKills(options)
    const wanted = Math.floor(100 * Math.min(1, options.scale))
    return [
      atLeast('schedules.chore-kills', kills, wanted, 'kills', `${cases} cases`),
      atMost('schedules.chore-kills-findings', findings.length, 0, 'findings', findings[0]),
    ]
  },
}
