/**
 * What a policy costs: one decision, beside the bare call of Cedar with the same rules and the same request, and a durable
 * step with a policy beside one without.
 *
 * A decision takes some 60 µs, and one in a hundred is interrupted by other processes for longer than that: its tail is
 * measured in time on the processor. Whole runs are compared by their quietest rounds.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHost } from 'loopwright'
import { createPolicy, type Policy, type PolicyRequest, policySchema } from 'loopwright/policy'
import { loadCedar } from '#src/authority/policy/cedar.ts'
import { basePolicy } from '#src/authority/policy/policy-language.ts'
import { readRules } from '#src/authority/policy/read-rules.ts'
import { atMost, median, type Suite } from './report.ts'
import { type Cost, costOf, noLimits, plainLoop, withFolder } from './workload.ts'

const file = 'examples/policy/limits.cedar'
const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

/** Rules that never apply to what is measured, so that every run has the same length. */
const harmless = text.replace('context.iteration > 50', 'context.iteration > 5000000')

const decisions = 20_000
const iterations = 1000
const rounds = 9
/** On a busy machine there are fewer rounds, so that the suite ends. */
const roundsMin = 3
const suiteMsMax = 60_000

/** Numbers of rounds, the first of which is not counted. */
function* roundsInTime(): Generator<number> {
  const beganMs = performance.now()
  for (let round = 0; round <= rounds; round++) {
    if (round > roundsMin && performance.now() - beganMs > suiteMsMax) return
    yield round
  }
}

const request = (iteration: number): PolicyRequest => ({
  action: 'iterate',
  loop: 'bench',
  run: 'bench',
  context: {
    iteration,
    tokens: iteration * 1000,
    inputTokens: iteration * 900,
    outputTokens: iteration * 100,
    costMicros: iteration,
    elapsedMs: iteration * 10,
    filesChanged: 3,
    sealedTouched: 0,
    verified: 0,
    level: 2,
  },
})

export const policyDecision: Suite = {
  area: 'policy',
  title: 'a decision of a policy beside the bare call of Cedar',
  async run({ scale }) {
    const count = Math.max(500, Math.round(decisions * scale))
    const { judge } = await createPolicy([{ file, text: harmless, mode: 'enforce' }])
    const bare = await bareCall()
    const ratios: number[] = []
    const tails: number[] = []
    const wallTails: number[] = []
    let shown = ''
    for (const round of roundsInTime()) {
      const ours = timesOf(count, (n) => judge(request(n)))
      const theirs = timesOf(count, (n) => bare(request(n)))
      const cpu = cpuTimesOf(count, (n) => judge(request(n)))
      if (round === 0) continue
      ratios.push(median(ours) / median(theirs))
      tails.push(at(cpu, 0.99))
      wallTails.push(at(ours, 0.99))
      shown = `p50 ${micros(median(ours))} against ${micros(median(theirs))}`
    }
    const wall = `p99 ${micros(Math.min(...wallTails))} by the clock in the quietest round`
    return [
      atMost('policy.decision-p99', median(tails), 1, 'ms', `${shown}; ${wall}`),
      atMost('policy.decision-beside-cedar', median(ratios), 1.5, 'x'),
    ]
  },
}

/** As a program would call Cedar directly: all rules parsed once, and the request validated. */
async function bareCall(): Promise<(request: PolicyRequest) => unknown> {
  const cedar = await loadCedar()
  const { rules } = readRules(cedar, { file, text: harmless })
  const texts = rules.map((rule) => [rule.id, rule.text] as const)
  cedar.preparsePolicySet('bare', {
    staticPolicies: Object.fromEntries([['base', basePolicy], ...texts]),
  })
  cedar.preparseSchema('bare', policySchema)
  return ({ action, loop, run = '', context }) =>
    cedar.statefulIsAuthorized({
      principal: { type: 'Loop', id: loop },
      action: { type: 'Action', id: action },
      resource: { type: 'Run', id: run },
      context: { ...context },
      preparsedSchemaName: 'bare',
      validateRequest: true,
      preparsedPolicySetId: 'bare',
      entities: [],
    })
}

function timesOf(count: number, work: (n: number) => unknown): readonly number[] {
  const times: number[] = []
  for (let n = 1; n <= count; n++) {
    const began = performance.now()
    work(n)
    times.push(performance.now() - began)
  }
  return times
}

/** On the processor, with the threads that collect garbage and compile. */
function cpuTimesOf(count: number, work: (n: number) => unknown): readonly number[] {
  const times: number[] = []
  for (let n = 1; n <= count; n++) {
    const began = process.cpuUsage()
    work(n)
    const { user, system } = process.cpuUsage(began)
    times.push((user + system) / 1000)
  }
  return times
}

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0

const micros = (ms: number): string => `${(ms * 1000).toFixed(0)} µs`

export const policyStep: Suite = {
  area: 'policy',
  title: 'a durable step with a policy beside one without',
  async run({ scale }) {
    const n = Math.max(50, Math.round(iterations * scale))
    const policy = await createPolicy([{ file, text: harmless, mode: 'enforce' }])
    const without: number[] = []
    const withPolicy: number[] = []
    for (const round of roundsInTime()) {
      const costs = await inOrder(round % 2 === 0, [
        async () => (await stepsCost(n)).wallMs,
        async () => (await stepsCost(n, policy)).wallMs,
      ])
      if (round === 0) continue
      without.push(costs[0])
      withPolicy.push(costs[1])
    }
    const [bare, judged] = [Math.min(...without), Math.min(...withPolicy)]
    const each = (wallMs: number): string => micros(wallMs / (n * 2))
    const shown = `a step: ${each(judged)} against ${each(bare)}, wall, ${without.length} rounds`
    return [atMost('policy.step-cost', judged / bare, 1.15, 'x', shown)]
  },
}

type Measure = () => Promise<number>

/** Neither is always the first. */
async function inOrder(
  isSwapped: boolean,
  [one, other]: readonly [Measure, Measure],
): Promise<readonly [number, number]> {
  if (!isSwapped) return [await one(), await other()]
  const second = await other()
  return [await one(), second]
}

async function stepsCost(n: number, policy?: Policy): Promise<Cost> {
  return withFolder(async (folder) => {
    const host = await openHost({ folder, synchronous: 'FULL' })
    const parts = policy === undefined ? {} : { policy }
    const cost = await costOf(async () => {
      const run = await host.start(plainLoop(n), { input: null, limits: noLimits, ...parts })
      await run.done
    })
    await host.close()
    return cost
  })
}
