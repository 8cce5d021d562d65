/**
 * E4. Parallel children, retries and crashes: what a run spends stays within its cap and one call, and
 * nothing that the provider served is missing from the account. The provider's own log is the truth;
 * the account is added up from the events in the journal.
 */

import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LoopError } from 'loopwright'
import type { Gateway } from 'loopwright/gateway'
import { type ModelAnswer, type ModelServer, startModelServer } from 'loopwright/testing'
import { driveRun } from '#src/engine/drive-run.ts'
import { createRun, type Journal, type Store } from '#src/engine/index.ts'
import { createOwnerId } from '#src/system/index.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { makeFastFolder } from './fast-folder.ts'
import { type BudgetSabotage, budgetLoop, budgetPorts, openBudgetGateway } from './gateway-run.ts'
import {
  type Death,
  isBroken,
  isSurprise,
  makeSchedule,
  oneCallTokens,
  type Schedule,
} from './gateway-schedule.ts'
import type { GatewayJob } from './gateway-victim.ts'
import { inTime } from './in-time.ts'
import { inTurns } from './in-turns.ts'
import { spentBy } from './spent.ts'
import { asRunId, placesIn } from './victim-world.ts'

const schedulesWanted = 1000
/** Every so many are driven by a process that is killed with SIGKILL. */
const killedEvery = 8
const drivesMax = 12
/** Runs of one gateway and one store; they wait more than they work. */
const atOnce = 4
const hangMs = 60_000
const program = fileURLToPath(new URL('./gateway-victim.js', import.meta.url))

export const gatewayBudget: Suite = {
  area: 'gateway',
  title: 'schedules of parallel children, retries and crashes under one cap',
  share: 0.05,
  async run(options) {
    const report = await runSchedules(options)
    const { held, all, kills, aborts, exact, overshootTokens, problems } = report
    const detail =
      problems[0] ??
      `${kills} kill -9, ${aborts} aborts, ${report.refused} refused for the budget, ` +
        `${exact} equal to the bill to the token`
    return [
      atLeast('gateway.budget-schedules', held, all, 'schedules', detail),
      atMost('gateway.budget-overshoot', overshootTokens / oneCallTokens, 1, 'calls'),
    ]
  },
}

export interface BudgetOptions extends Pick<SuiteOptions, 'scale' | 'note'> {
  readonly sabotage?: BudgetSabotage
}

export interface BudgetReport {
  readonly held: number
  readonly all: number
  readonly kills: number
  readonly aborts: number
  /** Schedules after which the account is the bill. */
  readonly exact: number
  readonly refused: number
  readonly overshootTokens: number
  readonly problems: readonly string[]
}

/** What the provider knows of one schedule. */
interface Told {
  readonly schedule: Schedule
  requests: number
  /** What it bills, and what of that nobody can dispute. */
  billed: number
  served: number
  isUncertain: boolean
  readonly deaths: Death[]
  die: () => void
}

interface Stage {
  readonly base: string
  readonly server: ModelServer
  readonly journal: Store
  readonly gateway: Gateway
  readonly told: Map<string, Told>
  readonly sabotage: BudgetSabotage | undefined
  kills: number
  aborts: number
}

export async function runSchedules(options: BudgetOptions): Promise<BudgetReport> {
  const base = makeFastFolder('budget')
  const told = new Map<string, Told>()
  const server = await startModelServer(({ headers }) => {
    const one = told.get(String(headers['x-schedule']))
    return one === undefined ? { status: 500 } : answerFor(one)
  })
  mkdirSync(dirname(placesIn(base).journal), { recursive: true })
  const journal = openLocalStore({ path: placesIn(base).journal })
  const gateway = await openBudgetGateway(server.url, join(base, 'p'))
  const { sabotage } = options
  const stage: Stage = { base, server, journal, gateway, told, sabotage, kills: 0, aborts: 0 }
  const all = Math.max(4, Math.round(schedulesWanted * options.scale))
  const totals = { held: 0, exact: 0, refused: 0, overshootTokens: 0 }
  const problems: string[] = []
  try {
    const seeds = Array.from({ length: all }, (_, index) => index + 1)
    await inTurns(seeds, atOnce, async (seed) => {
      const found = await inTime(play(stage, seed), hangMs * 2, `schedule ${seed}`)
      totals.held += found.problems.length === 0 ? 1 : 0
      totals.exact += found.isExact ? 1 : 0
      totals.refused += found.isRefused ? 1 : 0
      totals.overshootTokens = Math.max(totals.overshootTokens, found.overshootTokens)
      for (const problem of found.problems) {
        problems.push(`schedule ${seed}: ${problem}`)
        options.note(`  ${problems.at(-1)}`)
      }
      if (seed % 100 === 0) options.note(`  ${seed} of ${all}`)
    })
  } finally {
    await gateway.close()
    await journal.close()
    await server.close()
    rmSync(base, { recursive: true, force: true })
  }
  return { ...totals, all, kills: stage.kills, aborts: stage.aborts, problems }
}

interface Found {
  readonly problems: readonly string[]
  readonly isExact: boolean
  readonly isRefused: boolean
  readonly overshootTokens: number
}

async function play(stage: Stage, seed: number): Promise<Found> {
  const isKilled = seed % killedEvery === 0
  const schedule = makeSchedule(seed, isKilled)
  const one: Told = {
    schedule,
    requests: 0,
    billed: 0,
    served: 0,
    isUncertain: false,
    deaths: [...schedule.deaths],
    die: () => undefined,
  }
  stage.told.set(String(seed), one)
  const run = asRunId(`01890000-0000-7000-8000-${String(seed).padStart(12, '0')}`)
  const ports = budgetPorts(stage.base, stage.journal, stage.gateway, schedule)
  const limits = { tokens: schedule.capTokens, costMicros: 1_000_000_000 }
  await createRun(budgetLoop(schedule), ports, { id: run, name: `budget-${seed}`, limits })
  const drive = isKilled ? killable : abortable
  let drives = 0
  while (!(await drive(stage, run, one)) && drives < drivesMax) drives++
  const events = (await stage.journal.read(run)).map(({ event }) => event)
  const spent = spentBy(events).tokens
  const { capTokens } = schedule
  const isSurprised = schedule.answers.some(isSurprise)
  const over = isSurprised ? oneCallTokens : 0
  const isExact = spent === one.billed
  const isCertain = !one.isUncertain && schedule.deaths.length === one.deaths.length
  const problems = [
    ...(drives < drivesMax ? [] : ['it does not come to an end']),
    ...(spent <= capTokens + over ? [] : [`${spent} tokens spent of ${capTokens}`]),
    ...(spent >= one.served ? [] : [`${spent} tokens on the account, ${one.served} served`]),
    ...(isCertain && !isExact ? [`${spent} tokens on the account, ${one.billed} billed`] : []),
  ]
  const isRefused = events.some(
    (event) => event.type === 'step-failed' && event.fault.code === 'budget',
  )
  return { problems, isExact, isRefused, overshootTokens: Math.max(0, spent - capTokens) }
}

function answerFor(told: Told): ModelAnswer {
  const { answers } = told.schedule
  const answer = answers[told.requests % answers.length] ?? { status: 500 }
  told.requests++
  if (!('status' in answer || 'does' in answer)) {
    const { input = 100, output = 20 } = answer.usage ?? {}
    told.billed += input + output
    told.served += isBroken(answer) ? input : input + output
  }
  if (isBroken(answer)) told.isUncertain = true
  const death = told.deaths.findIndex(({ request }) => request <= told.requests)
  if (death !== -1) {
    const [{ afterMs } = { afterMs: 0 }] = told.deaths.splice(death, 1)
    const { die } = told
    if (afterMs === 0) die()
    else setTimeout(die, afterMs)
  }
  return answer
}

/** In this process, with a store that is lost from one moment to the next. True when the run ended. */
async function abortable(stage: Stage, run: GatewayRun, told: Told): Promise<boolean> {
  const { base, journal, gateway, sabotage } = stage
  let isLost = false
  told.die = () => {
    isLost = true
  }
  const lost: Journal = {
    ...journal,
    append: (lease, unit) =>
      isLost
        ? Promise.reject(new LoopError('store-failed', 'The store is lost.'))
        : journal.append(lease, unit),
  }
  const ports = budgetPorts(base, lost, gateway, told.schedule, sabotage)
  const options = { owner: createOwnerId() }
  const end = await driveRun(run, budgetLoop(told.schedule), ports, options).catch(
    (error: unknown) => {
      if (!isLost) throw error
      return undefined
    },
  )
  if (isLost) stage.aborts++
  return end?.type === 'ended'
}

type GatewayRun = ReturnType<typeof asRunId>

/** In a process of its own, which is killed. True when it ended by itself. */
function killable(stage: Stage, run: GatewayRun, told: Told): Promise<boolean> {
  const { base, server, sabotage } = stage
  const job: GatewayJob = { base, url: server.url, run, schedule: told.schedule, sabotage }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, JSON.stringify(job)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    let isKilled = false
    told.die = () => {
      isKilled = child.kill('SIGKILL') || isKilled
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), hangMs)
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.once('close', (code) => {
      clearTimeout(timer)
      if (isKilled && code === null) stage.kills++
      if (code === 0 || (isKilled && code === null)) resolve(code === 0)
      else reject(new Error(`A victim ended with ${code}: ${errors.slice(0, 500)}`))
    })
  })
}
