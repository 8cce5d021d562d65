/**
 * F5: a disk that is full from one call on, for a while. The run waits, loses nothing, and goes on by
 * itself when there is space again.
 */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { seededRandom } from '#src/testing/seeded-random.ts'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import type { DiskCase, DiskCaseEnd } from './daemon-disk-case.ts'
import { countSites } from './daemon-kill-case.ts'
import { inTurns } from './in-turns.ts'
import { withFolder } from './killed-daemon.ts'

const casesWanted = 100
/** Most of their time is spent waiting for space. */
const atOnce = 4
/** A run is refused where less than 200 MiB are free. */
const diskMegabytes = 240

export interface DiskReport {
  readonly full: number
  readonly waited: number
  readonly slowestMs: number
  readonly findings: readonly string[]
}

export async function runFullDisks({
  scale,
  note,
}: Pick<SuiteOptions, 'scale' | 'note'>): Promise<DiskReport> {
  const random = seededRandom(5)
  const sites = [...(await countSites('small'))].filter(([site]) => /^(sql|file)\./.test(site))
  const cases = Array.from({ length: Math.max(1, Math.round(casesWanted * scale)) }, () => {
    const [site, count] = random.pick(sites)
    return { site, occurrence: random.between(1, count) }
  })
  const ends: DiskCaseEnd[] = []
  const findings: string[] = []
  await inTurns(cases, atOnce, async (one) => {
    const at = `${one.site} ${one.occurrence}`
    try {
      const end = await runFullDisk(one)
      ends.push(end)
      findings.push(...end.findings.map(({ kind, text }) => `${at}: ${kind}: ${text}`))
    } catch (error) {
      findings.push(`${at}: ${String(error)}`)
    }
  })
  for (const finding of findings) note(`  ${finding}`)
  return {
    full: ends.filter(({ wasFull }) => wasFull).length,
    waited: ends.filter(({ waited }) => waited).length,
    slowestMs: Math.max(0, ...ends.map(({ resumedMs }) => resumedMs)),
    findings,
  }
}

const program = fileURLToPath(new URL('./daemon-disk-case.js', import.meta.url))

/** A small disk that only this process and those that it starts see. */
export async function runFullDisk(one: Omit<DiskCase, 'base'>): Promise<DiskCaseEnd> {
  return withFolder(async (base) => {
    const mount = `mount -t tmpfs -o size=${diskMegabytes}m,mode=700 none "$1" && shift && exec "$@"`
    const job = JSON.stringify({ ...one, base })
    const args = ['-Urm', 'sh', '-c', mount, 'sh', base, process.execPath, program, job]
    const { stdout } = await promisify(execFile)('unshare', args, { maxBuffer: 1024 ** 2 })
    return JSON.parse(stdout) as DiskCaseEnd
  })
}

const resumeMsMax = 30_000

export const fullDisks: Suite = {
  area: 'daemon',
  title: 'F5: a disk that is full for a while, from any call on',
  share: 0.1,
  async run(options) {
    const { full, waited, slowestMs, findings } = await runFullDisks(options)
    const wanted = Math.floor(casesWanted * 0.8 * Math.min(1, options.scale))
    return [
      atLeast('daemon.disk-full', full, wanted, 'cases', `${waited} were seen to wait`),
      atMost('daemon.disk-full-findings', findings.length, 0, 'findings', findings[0]),
      atMost('daemon.disk-full-resumed', slowestMs, resumeMsMax, 'ms', 'until the run had ended'),
    ]
  },
}
