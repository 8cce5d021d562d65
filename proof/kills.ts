/**
 * Kills a real process with SIGKILL at every failpoint, the process that recovers from it as well in
 * a third of the cases, and lets the last one finish. Then the record is judged.
 */

import { atLeast, atMost, type Result, type Suite, type SuiteOptions } from '../bench/report.ts'
import { inTurns } from './in-turns.ts'
import type { Finding, FindingKind, Recorded } from './judge.ts'
import { type CaseEnd, measureSites, runCase } from './kill-case.ts'
import { type KillCase, planKills } from './kill-plan.ts'
import { describeKill } from './run-victim.ts'
import type { Kill } from './victim-job.ts'

export interface KillReport {
  readonly kills: number
  readonly cases: number
  /** How often it was killed at the failpoint where that happened least. */
  readonly fewest: { readonly failpoint: string; readonly kills: number }
  readonly failpoints: number
  readonly findings: readonly CaseFinding[]
}

export interface CaseFinding extends Finding {
  readonly at: string
}

const atOnce = 2
const seed = 1
const triesMax = 3

export async function runKills(options: Pick<SuiteOptions, 'scale' | 'note'>): Promise<KillReport> {
  const { scale, note } = options
  const { clean, sites } = await measureSites()
  const cases = planKills(sites, scale, seed)
  const tally = new Map(cases.flatMap(({ kills }) => kills).map((kill) => [failpointOf(kill), 0]))
  note(`  ${tally.size} failpoints, ${cases.length} cases`)
  const findings: CaseFinding[] = []
  let done = 0
  await inTurns(cases, atOnce, async (one) => {
    const end = await untilKilled(one, clean)
    for (const kill of end.killed) {
      tally.set(failpointOf(kill), (tally.get(failpointOf(kill)) ?? 0) + 1)
    }
    for (const finding of firstOfEach(end.findings)) {
      const at = one.kills.map(describeKill).join(' ')
      findings.push({ ...finding, at })
      note(`  ${finding.kind}: ${finding.text}\n    node build/proof/replay-kill.js ${at}`)
    }
    if (++done % 100 === 0) note(`  ${done} of ${cases.length}`)
  })
  const [failpoint = '', fewest = 0] = [...tally].toSorted(([, a], [, b]) => a - b)[0] ?? []
  const kills = [...tally.values()].reduce((sum, count) => sum + count, 0)
  const failpoints = tally.size
  return { kills, cases: cases.length, fewest: { failpoint, kills: fewest }, failpoints, findings }
}

const failpointOf = ({ site, phase }: Kill): string => `${site} ${phase}`

/** A run may come to a place less often than another did; then it is killed there earlier. */
async function untilKilled({ kills, target }: KillCase, clean: Recorded): Promise<CaseEnd> {
  for (let tries = 1, wanted = kills; ; tries++) {
    const end = await runCase(wanted, clean)
    if (end.killed.length > target || end.findings.length > 0 || tries === triesMax) return end
    wanted = wanted.map(earlier)
  }
}

const earlier = (kill: Kill): Kill => ({
  ...kill,
  occurrence: Math.ceil(kill.occurrence / 2),
})

/** One result that differs makes many others differ. */
const firstOfEach = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ kind }, index) => findings.findIndex((one) => one.kind === kind) === index)

export const killSuite: Suite = {
  area: ['journal', 'engine', 'workspace'],
  title: 'kill -9 at every failpoint',
  share: 0.05,
  run: async (options) => figures(options.scale)(await runKills(options)),
}

const killsWanted = 1000
const perFailpointWanted = 10

const figures =
  (scale: number) =>
  ({ kills, cases, fewest, failpoints, findings }: KillReport): readonly Result[] => {
    const none = (name: string, unit: string, kinds: readonly FindingKind[]): Result => {
      const found = findings.filter(({ kind }) => kinds.includes(kind))
      return atMost(name, found.length, 0, unit, found[0] && `${found[0].at}: ${found[0].text}`)
    }
    const wanted = Math.floor(killsWanted * Math.min(1, scale))
    const detail = `${cases} cases at ${failpoints} failpoints`
    return [
      atLeast('journal.kills', kills, wanted, 'kills', detail),
      // A share is drawn from all of them, so it leaves some failpoints out.
      ...(scale < 1
        ? []
        : [
            atLeast(
              'journal.kills-per-failpoint',
              fewest.kills,
              perFailpointWanted,
              'kills',
              fewest.failpoint,
            ),
          ]),
      none('journal.kills-integrity', 'problems', ['integrity', 'process']),
      none('engine.kills-lost', 'results', ['lost']),
      none('engine.kills-repeated', 'steps', ['repeated']),
      none('engine.kills-endings', 'differences', ['ending', 'budget']),
      none('workspace.kills-trees', 'trees', ['tree']),
    ]
  }
