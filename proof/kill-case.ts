/** One case of the kills: a process that is killed, the one after it, the last one, and the verdict. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Finding, findLost, judge, type Recorded, readRecord } from './judge.ts'
import { midStep, type Sites } from './kill-plan.ts'
import { runVictim } from './run-victim.ts'
import type { Sabotage } from './sabotage.ts'
import type { Kill } from './victim-job.ts'
import { layOut } from './victim-world.ts'

const rounds = 2

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
  /** The kills that happened; a run may end before it comes to where it was to be killed. */
  readonly killed: readonly Kill[]
  readonly findings: readonly Finding[]
}

export async function runCase(
  kills: readonly Kill[],
  clean: Recorded,
  sabotage?: Sabotage,
): Promise<CaseEnd> {
  return withBase(async (base) => {
    const killed: Kill[] = []
    const lost: Finding[] = []
    for (const kill of [...kills, undefined]) {
      const broken = isForKilled(sabotage) === (kill !== undefined) ? sabotage : undefined
      const end = await runVictim({ base, rounds, kill, sabotage: broken })
      if (end === 'killed' && kill !== undefined) {
        killed.push(kill)
        lost.push(...(await findLost(base)))
      } else if (end !== 'done') {
        const text = end === 'killed' ? 'somebody else killed it' : end.failed
        return { killed, findings: [{ kind: 'process', text }] }
      }
    }
    try {
      return { killed, findings: [...lost, ...judge(await readRecord(base), clean, base)] }
    } catch (error) {
      return { killed, findings: [{ kind: 'integrity', text: String(error) }] }
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
    await remove(base)
  }
}

/** What a victim left behind may still be writing for a moment. */
async function remove(base: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return rmSync(base, { recursive: true, force: true })
    } catch (error) {
      if (tries === 50) throw error
      await sleep(100)
    }
  }
}
