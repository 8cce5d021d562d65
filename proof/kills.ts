/**
 * Kills a real process with SIGKILL at every failpoint, the process that recovers from it as well in
 * a third of the cases, and lets the last one finish. Then the record is judged.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atLeast, atMost, type Result, type Suite, type SuiteOptions } from '../bench/report.ts'
import { inTurns } from './in-turns.ts'
import {
  type Finding,
  type FindingKind,
  findLost,
  judge,
  type Recorded,
  readRecord,
} from './judge.ts'
import { type KillCase, midStep, planKills, type Sites } from './kill-plan.ts'
import { describeKill, runVictim } from './run-victim.ts'
import type { Sabotage } from './sabotage.ts'
import type { Kill } from './victim-job.ts'
import { layOut } from './victim-world.ts'

export interface KillReport {
  readonly kills: number
  readonly cases: number
  readonly sites: number
  readonly findings: readonly (Finding & { readonly at: string })[]
}

export interface KillOptions extends Pick<SuiteOptions, 'scale' | 'note'> {
  readonly seed?: number | undefined
  readonly sabotage?: Sabotage
}

const rounds = 2
const atOnce = 2
const defaultSeed = 1

export async function runKills(options: KillOptions): Promise<KillReport> {
  const { scale, note } = options
  const seed = options.seed ?? defaultSeed
  const { clean, sites } = await measureSites()
  const cases = planKills(sites, scale, seed)
  note(`  ${sites.run.size} places, ${cases.length} cases, seed ${seed}`)
  const report: { kills: number; done: number; findings: (Finding & { at: string })[] } = {
    kills: 0,
    done: 0,
    findings: [],
  }
  await inTurns(cases, atOnce, async (one) => {
    const { kills, findings } = await runCase(one, clean, options.sabotage)
    report.kills += kills
    for (const finding of firstOfEach(findings)) {
      report.findings.push({ ...finding, at: describeCase(one) })
      note(`  ${finding.kind}: ${finding.text}\n    replay: ${replayCommand(one)}`)
    }
    if (++report.done % 100 === 0) note(`  ${report.done} of ${cases.length}`)
  })
  const { kills, findings } = report
  return { kills, cases: cases.length, sites: sites.run.size, findings }
}

/** One result that differs makes many others differ. */
const firstOfEach = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ kind }, index) => findings.findIndex((one) => one.kind === kind) === index)

/** A run that nobody disturbs: what the others are compared with, and where they can be killed. */
export async function measureSites(): Promise<{ clean: Recorded; sites: Sites }> {
  const undisturbed = await withBase(async (base) => {
    const counts = `${base}.counts`
    const began = performance.now()
    requireDone(await runVictim({ base, rounds, counts }))
    const runMs = performance.now() - began
    const clean = await readRecord(base)
    if (clean.state.outcome?.type !== 'completed') throw new Error('The victim does not complete.')
    return { clean, runMs, run: readCounts(counts) }
  })
  const recovery = await withBase(async (base) => {
    const counts = `${base}.counts`
    await runVictim({ base, rounds, kill: midStep })
    requireDone(await runVictim({ base, rounds, counts }))
    return readCounts(counts)
  })
  const { clean, run, runMs } = undisturbed
  return { clean, sites: { run, recovery, runMs } }
}

function requireDone(end: Awaited<ReturnType<typeof runVictim>>): void {
  if (end !== 'done') throw new Error(`The victim cannot run: ${JSON.stringify(end)}`)
}

function readCounts(path: string): ReadonlyMap<string, number> {
  const counts: [string, number][] = JSON.parse(readFileSync(path, 'utf8'))
  rmSync(path)
  return new Map(counts)
}

export interface CaseEnd {
  readonly kills: number
  readonly findings: readonly Finding[]
}

export async function runCase(
  one: Pick<KillCase, 'first' | 'second'>,
  clean: Recorded,
  sabotage?: Sabotage,
): Promise<CaseEnd> {
  return withBase(async (base) => {
    let kills = 0
    const lost: Finding[] = []
    const wanted: (Kill | undefined)[] = [one.first, one.second].filter(
      (kill) => kill !== undefined,
    )
    for (const kill of [...wanted, undefined]) {
      const broken = isForKilled(sabotage) === (kill !== undefined) ? sabotage : undefined
      const end = await runVictim({ base, rounds, kill, sabotage: broken })
      if (end === 'killed') {
        kills++
        lost.push(...(await findLost(base)))
      } else if (end !== 'done') return { kills, findings: [{ kind: 'process', text: end.failed }] }
    }
    try {
      return { kills, findings: [...lost, ...judge(await readRecord(base), clean, base)] }
    } catch (error) {
      return { kills, findings: [{ kind: 'integrity', text: String(error) }] }
    }
  })
}

/** The others spoil the recovery. */
const isForKilled = (sabotage: Sabotage | undefined): boolean => sabotage === 'ack-before-commit'

async function withBase<T>(work: (base: string) => Promise<T>): Promise<T> {
  const base = mkdtempSync(join(tmpdir(), 'loopwright-kill-'))
  layOut(base)
  try {
    return await work(base)
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** One run of kills; each area gets the figures that are about it. */
export function killSuites(): readonly Suite[] {
  let results: Promise<readonly Result[]> | undefined
  return ['journal', 'engine', 'workspace'].map((area) => ({
    area,
    title: 'kill -9 at every failpoint',
    async run(options) {
      results ??= runKills(options).then(figures(options.scale))
      return (await results).filter(({ name }) => name.startsWith(`${area}.`))
    },
  }))
}

const killsWanted = 1000

const figures =
  (scale: number) =>
  ({ kills, cases, sites, findings }: KillReport): readonly Result[] => {
    const detail = `${cases} cases at ${sites} places; ${kills - cases} more while recovering`
    const none = (name: string, unit: string, kinds: readonly FindingKind[]): Result => {
      const found = findings.filter(({ kind }) => kinds.includes(kind))
      return atMost(name, found.length, 0, unit, found[0] && `${found[0].at}: ${found[0].text}`)
    }
    return [
      atLeast(
        'journal.kills',
        kills,
        Math.round(killsWanted * Math.min(1, scale)),
        'kills',
        detail,
      ),
      none('journal.kills-integrity', 'problems', ['integrity', 'process']),
      none('engine.kills-lost', 'results', ['lost']),
      none('engine.kills-repeated', 'steps', ['repeated']),
      none('engine.kills-endings', 'differences', ['ending', 'budget']),
      none('workspace.kills-trees', 'trees', ['tree']),
    ]
  }

const describeCase = ({ first, second }: KillCase): string =>
  second === undefined ? describeKill(first) : `${describeKill(first)}, ${describeKill(second)}`

const replayCommand = ({ first, second }: KillCase): string =>
  `node build/proof/replay-kill.js ${[first, second]
    .filter((kill) => kill !== undefined)
    .map(describeKill)
    .join(' ')}`
