/** What the victims of the chores find in their state folder, and what has to be there in the end. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHost } from 'loopwright'
import { addSchedule } from '#src/daemon/schedules/add-schedule.ts'
import type { ScheduleState } from '#src/daemon/schedules/rules/schedule.ts'
import type { Host } from '#src/host/host.ts'
import { storeJudges } from '#src/launch/calibrate/judges.ts'
import { readDeliveries, writeSinks } from '#src/launch/deliver/delivery-facts.ts'
import { previewLoop, trustLoop } from '#src/launch/load-loop.ts'
import type { RunEvent, RunId, StepId } from '#src/loop/index.ts'
import { writeRun } from '#src/testing/write-run.ts'

export const chores = ['tick', 'deliver', 'lower', 'raise'] as const
export type Chore = (typeof chores)[number]

export interface ChoreJob {
  readonly state: string
  readonly chore: Chore
  readonly url: string
  /** How often each failpoint was reached is written there. */
  readonly counts?: string
}

export const scheduleName = 'chore'
export const escapedAction = 'action-1'

const small = `
prompt: Count.
checks: { yes: 'true' }
agent: { script: [[{ say: Counted. }]] }
worktree: false
`

/** Before the first process. */
export async function layOut(base: string, { state, chore, url }: ChoreJob): Promise<void> {
  const host = await openHost({ folder: state })
  try {
    await {
      tick: () => layOutTick(host, base),
      deliver: () => layOutReport(host, url),
      lower: () => layOutAction(host),
      raise: () => layOutRounds(host),
    }[chore]()
  } finally {
    await host.close()
  }
}

async function layOutTick(host: Host, base: string): Promise<void> {
  const work = join(base, 'work')
  mkdirSync(work)
  const file = join(base, 'chore.yaml')
  writeFileSync(file, small)
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  const trigger = { type: 'time', cadence: 'daily 09:00' } as const
  const request = { file, workspace: work, trigger, name: scheduleName }
  await addSchedule({ host }, request, Date.now())
}

const finished = (step: string, more: object, value: unknown): RunEvent =>
  ({
    type: 'step-finished',
    iteration: 1,
    step: step as StepId,
    attempt: 1,
    ...more,
    result: { value },
  }) as RunEvent

const completed: RunEvent = {
  type: 'run-ended',
  outcome: { type: 'completed', condition: 'reported' },
}

async function writeEnded(
  host: Host,
  name: string,
  ...events: readonly RunEvent[]
): Promise<RunId> {
  const { journal } = host
  const run = await writeRun(journal, { name, atMs: Date.now() })
  const lease = await run.take()
  await run.write({ type: 'iteration-started', iteration: 1 }, ...events, completed)
  await journal.release(lease)
  return run.run
}

async function layOutReport(host: Host, url: string): Promise<void> {
  const report = {
    loop: 'written',
    intent: 'look',
    level: 1,
    run: 'reported',
    outcome: { type: 'reported' },
    verified: { type: 'checker' },
    inputTokens: 1,
    outputTokens: 2,
    filesChanged: [],
    recalled: [],
    warnings: [],
    startedAtMs: 1,
    endedAtMs: 2,
  }
  const role = { kind: 'step', role: 'round-report' }
  const run = await writeEnded(host, 'reported', finished('report#1', role, report))
  const sinks = [
    { type: 'webhook', url, timeoutMs: 5000 },
    { type: 'file', folder: 'triage' },
  ] as const
  await writeSinks(host.journal, run, sinks, Date.now())
}

const judges = 'judges'

const writeLevelFact = (host: Host, run: RunId, setting: 3 | 'earned'): Promise<void> =>
  host.journal.setFact(run, 'level', {
    value: { setting, kinds: ['merge'], judges, hasAgent: false },
    atMs: Date.now(),
  })

async function layOutAction(host: Host): Promise<void> {
  const performed: RunEvent = {
    type: 'action-recorded',
    key: escapedAction,
    kind: 'merge',
    status: 'done',
    action: { kind: 'merge', summary: 'Merge it' },
    permission: { by: 'person', name: 'ann' },
    receipt: { status: 'done', summary: 'merged' },
  }
  await writeLevelFact(host, await writeEnded(host, 'acted', performed), 3)
}

/** More than the default bar of level 2 asks for. */
const rounds = 12

async function layOutRounds(host: Host): Promise<void> {
  const facts = { level: 1, verified: true, filesChanged: 1, tokens: 1, costMicros: 1 }
  const gate = finished('gate:merge#1', { kind: 'gate', role: 'merge' }, { type: 'ask', facts })
  for (let number = 1; number <= rounds; number++) {
    await writeLevelFact(host, await writeEnded(host, `round-${number}`, gate), 'earned')
  }
  const together = { falseAccepts: { high: 0.05, n: 50 }, falseRejects: { value: 0 } }
  const measured = { loop: 'written', checks: [], together, atMs: Date.now() }
  await storeJudges(host.folder, { judges, agent: undefined }, measured as never)
}

export const settledIn = ({ state }: { readonly state: unknown }): boolean => {
  const { last, running } = state as ScheduleState
  return last?.status === 'ended' && running === undefined
}

/** What is not as it has to be, after the last process. `deliveries`: the ids that the receiver saw, `kills`: of processes. */
export async function judge(
  { state, chore }: ChoreJob,
  { deliveries, kills }: { readonly deliveries: readonly string[]; readonly kills: number },
): Promise<readonly string[]> {
  const host = await openHost({ folder: state })
  try {
    switch (chore) {
      case 'tick':
        return await judgeTick(host)
      case 'deliver':
        return await judgeReport(host, deliveries, kills)
      case 'lower':
        return judgeLevel(host, ['escape 3 to 2'])
      case 'raise':
        return judgeLevel(host, ['earned 1 to 2'])
    }
  } finally {
    await host.close()
  }
}

const unlessSame = (what: string, found: unknown, expected: unknown): readonly string[] => {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)]
  return one === other ? [] : [`${what}: ${one} instead of ${other}`]
}

async function judgeTick({ journal }: Host): Promise<readonly string[]> {
  const row = await journal.schedules.find(scheduleName)
  const ticks = await journal.schedules.ticks(row.id, 10)
  const { runs } = await journal.pageRuns({ limit: 10 })
  const { today } = row.state as unknown as ScheduleState
  return [
    ...unlessSame(
      'runs',
      runs.map(({ status }) => status),
      ['completed'],
    ),
    ...unlessSame(
      'ticks',
      ticks.map(({ body }) => (body as { status?: unknown }).status),
      ['ended'],
    ),
    ...unlessSame('runs of the day', today?.runs, 1),
  ]
}

async function judgeReport(
  { journal, folder }: Host,
  ids: readonly string[],
  kills: number,
): Promise<readonly string[]> {
  const { id } = await journal.findRun('reported')
  const { deliveries } = await readDeliveries(journal, id)
  const files = readdirSync(join(folder, 'reports', 'triage'))
  return [
    ...unlessSame(
      'deliveries',
      deliveries.map(({ status }) => status),
      ['delivered', 'delivered'],
    ),
    ...unlessSame('files', files.length, 1),
    ...unlessSame('ids', new Set(ids).size, 1),
    // At least once: a process that was killed after it sent may send again, with the same id.
    ...(ids.length > kills + 1 ? [`sent ${ids.length} times after ${kills} kills`] : []),
  ]
}

async function judgeLevel(
  { journal }: Host,
  expected: readonly string[],
): Promise<readonly string[]> {
  const changes = await journal.trust.changes({ loop: 'written', limit: 10 })
  const shown = changes.map(({ cause, from, level }) => `${cause} ${from} to ${level}`)
  return unlessSame('levels', shown, expected)
}
