/** Which kills there are: every place, before, in the middle of and after each, at least ten times. */

import { type SeededRandom, seededRandom } from '#src/testing/seeded-random.ts'
import type { Phase } from './failpoints.ts'
import { anyMoment } from './run-victim.ts'
import type { Kill } from './victim-job.ts'

export interface KillCase {
  /** The first one, and in some cases one of the process that recovers from it. */
  readonly kills: readonly Kill[]
  /** Which of them the case is about. */
  readonly target: number
}

export interface Sites {
  /** How often each place is reached by a run, and by one that recovers in the middle of it. */
  readonly run: ReadonlyMap<string, number>
  readonly recovery: ReadonlyMap<string, number>
  readonly runMs: number
}

const perSiteMin = 10
const killsMin = 1000

/** Where a step is in the middle of changing files. */
export const midStep: Kill = { site: 'step.symlink', phase: 'after', occurrence: 2 }

export function planKills(sites: Sites, scale: number, seed: number): readonly KillCase[] {
  const random = seededRandom(seed)
  const points = pointsOf(sites.run)
  const onlyInRecovery = pointsOf(sites.recovery).filter(({ site }) => !sites.run.has(site))
  const moments = { site: anyMoment, phase: 'before', count: 100 } as const
  const all = points.length + onlyInRecovery.length + 1
  const perSite = Math.max(perSiteMin, Math.ceil(killsMin / all))
  const firsts = [
    ...points.flatMap((point) =>
      occurrences(point.count, perSite, random).map((occurrence) => [killOf(point, occurrence)]),
    ),
    ...occurrences(moments.count, perSite * 4, random).map((part) => [
      killOf(moments, Math.round((sites.runMs * part) / moments.count)),
    ]),
  ].map((kills): KillCase => ({ kills, target: 0 }))
  const seconds = onlyInRecovery.flatMap((point) =>
    occurrences(point.count, perSite, random).map(
      (occurrence): KillCase => ({ kills: [midStep, killOf(point, occurrence)], target: 1 }),
    ),
  )
  const recoveryPoints = pointsOf(sites.recovery)
  const killedTwice = firsts.map(({ kills, target }): KillCase => {
    if (!random.chance(1 / 3)) return { kills, target }
    const point = random.pick(recoveryPoints)
    return { kills: [...kills, killOf(point, random.between(1, point.count))], target }
  })
  const cases = [...killedTwice, ...seconds]
  return scale >= 1 ? cases : share(cases, scale, random)
}

interface Point {
  readonly site: string
  readonly phase: Phase
  readonly count: number
}

const killOf = ({ site, phase }: Point, occurrence: number): Kill => ({ site, phase, occurrence })

function pointsOf(counts: ReadonlyMap<string, number>): readonly Point[] {
  return [...counts].flatMap(([site, count]) => {
    const phases: Phase[] = site.endsWith('.write')
      ? ['before', 'half', 'after']
      : ['before', 'after']
    return phases.map((phase) => ({ site, phase, count }))
  })
}

/** So many numbers from 1 to `count`, each at most once more often than another. */
function occurrences(count: number, times: number, random: SeededRandom): readonly number[] {
  const found: number[] = []
  while (found.length < times) found.push(...shuffled(count, random))
  return found.slice(0, times)
}

function shuffled(count: number, random: SeededRandom): readonly number[] {
  const keyed = Array.from({ length: count }, (_, index) => ({ index, key: random.next() }))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ index }) => index + 1)
}

/** Spread over all places. */
function share(
  cases: readonly KillCase[],
  scale: number,
  random: SeededRandom,
): readonly KillCase[] {
  const wanted = Math.max(1, Math.round(cases.length * scale))
  const order = shuffled(cases.length, random)
  return cases.filter((_, index) => (order[index] ?? 0) <= wanted)
}
