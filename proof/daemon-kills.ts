/**
 * F1: kills the real daemon with SIGKILL before and after every call by which it changes the world, the
 * daemon that recovers from it too, and the one after that, and lets the last one finish.
 */

import { seededRandom } from '#src/testing/seeded-random.ts'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import {
  countSites,
  type DaemonFinding,
  type DaemonFindingKind,
  runDaemonCase,
} from './daemon-kill-case.ts'
import type { VictimSize } from './daemon-victim.ts'
import { inTurns } from './in-turns.ts'
import { describeKill } from './run-victim.ts'
import type { Kill } from './victim-job.ts'

interface Case {
  readonly size: VictimSize
  readonly kills: readonly Kill[]
}

export interface DaemonKillReport {
  readonly kills: number
  readonly cases: number
  readonly points: number
  /** How often it was killed where that happened least. */
  readonly fewest: number
  readonly recoveriesMs: readonly number[]
  readonly findings: readonly (DaemonFinding & { readonly at: string })[]
}

const killsWanted = 1000
const perPoint = 10
/** How long a recovery takes is measured on the first cases, with nothing else under way. */
const measuredMax = 40
const atOnce = 2
const triesMax = 3

/** In the middle of what the run does: what comes after it is recovery. */
const midRun: Kill = { site: 'sql.insert-events', phase: 'after', occurrence: 10 }

export async function runDaemonKills(
  options: Pick<SuiteOptions, 'scale' | 'note'>,
): Promise<DaemonKillReport> {
  const { scale, note } = options
  const cases = await planCases(scale)
  note(`  ${cases.length} cases`)
  const tally = new Map(cases.map((one) => [pointOf(one.kills[0]), 0]))
  const findings: (DaemonFinding & { at: string })[] = []
  const recoveriesMs: number[] = []
  let kills = 0
  let done = 0
  const play = async (one: Case): Promise<void> => {
    const end = await untilKilled(one)
    kills += end.killed.length
    const [first] = end.killed
    if (first !== undefined) tally.set(pointOf(first), (tally.get(pointOf(first)) ?? 0) + 1)
    if (done < measuredMax) recoveriesMs.push(...end.recoveriesMs)
    for (const finding of end.findings) {
      const at = `${one.size} ${one.kills.map(describeKill).join(', ')}`
      findings.push({ ...finding, at })
      note(`  ${finding.kind}: ${finding.text}\n    at ${at}`)
    }
    if (++done % 50 === 0) note(`  ${done} of ${cases.length}`)
  }
  await inTurns(cases.slice(0, measuredMax), 1, play)
  await inTurns(cases.slice(measuredMax), atOnce, play)
  const fewest = Math.min(...tally.values())
  return { kills, cases: cases.length, points: tally.size, fewest, recoveriesMs, findings }
}

const pointOf = (kill: Kill | undefined): string => `${kill?.site} ${kill?.phase}`

/** Every place by the quickest run that comes to it; a third goes on to be killed in its recovery. */
async function planCases(scale: number): Promise<readonly Case[]> {
  const random = seededRandom(1)
  const [small, large] = [await countSites('small'), await countSites('large')]
  const recovery = {
    small: await countSites('small', midRun),
    large: await countSites('large', midRun),
  }
  const points = [...new Map([...large, ...small]).keys()].flatMap((site) =>
    (['before', 'after'] as const).map((phase) => ({ site, phase })),
  )
  const each = Math.max(perPoint, Math.ceil(killsWanted / points.length / 1.4))
  const cases = points.flatMap(({ site, phase }) => {
    const size: VictimSize = small.has(site) ? 'small' : 'large'
    const count = (size === 'small' ? small : large).get(site) ?? 1
    return Array.from({ length: each }, (): Case => {
      const kills = [{ site, phase, occurrence: random.between(1, count) }]
      for (let depth = 1; depth < 3 && random.chance(1 / 3); depth++) {
        const [next, times] = random.pick([...recovery[size]])
        kills.push({ site: next, phase, occurrence: random.between(1, times) })
      }
      return { size, kills }
    })
  })
  return shuffled(cases).slice(0, Math.max(2, Math.round(cases.length * Math.min(1, scale))))
}

/** Deterministic. */
function shuffled(cases: readonly Case[]): readonly Case[] {
  const random = seededRandom(2)
  const keyed = cases.map((one) => ({ one, key: random.next() }))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ one }) => one)
}

/** A run may come to a place less often than another did; then it is killed there earlier. */
async function untilKilled({
  size,
  kills,
}: Case): Promise<Awaited<ReturnType<typeof runDaemonCase>>> {
  for (let tries = 1, wanted = kills; ; tries++) {
    const end = await runDaemonCase(size, wanted)
    if (end.killed.length > 0 || end.findings.length > 0 || tries === triesMax) return end
    wanted = wanted.map((kill) => ({ ...kill, occurrence: Math.ceil(kill.occurrence / 2) }))
  }
}

const recoveryMsMax = 2000

export const daemonKills: Suite = {
  area: 'daemon',
  title: 'F1: kill -9 of the daemon at every call that changes something, three deep',
  share: 0.03,
  async run(options) {
    const { kills, cases, points, fewest, recoveriesMs, findings } = await runDaemonKills(options)
    const scale = Math.min(1, options.scale)
    const none = (name: string, kinds: readonly DaemonFindingKind[]): ReturnType<typeof atMost> => {
      const found = findings.filter(({ kind }) => kinds.includes(kind))
      const detail = found[0] && `${found[0].at}: ${found[0].text}`
      return atMost(name, found.length, 0, 'findings', detail)
    }
    const sorted = recoveriesMs.toSorted((a, b) => a - b)
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN
    const detail = `${cases} cases at ${points} points`
    return [
      atLeast('daemon.kills', kills, Math.floor(killsWanted * scale), 'kills', detail),
      // A share leaves some points out.
      ...(scale < 1 ? [] : [atLeast('daemon.kills-per-point', fewest, perPoint, 'kills')]),
      none('daemon.kills-lost', ['lost', 'ending']),
      none('daemon.kills-repeated', ['repeated']),
      none('daemon.kills-integrity', ['integrity', 'process']),
      atMost('daemon.kills-recovery', p95, recoveryMsMax, 'ms p95', `${sorted.length} recoveries`),
    ]
  },
}
