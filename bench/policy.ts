/**
 * What a policy costs: one decision, beside the bare call of Cedar with the same rules and the same request, and a durable
 * step with a policy beside one without.
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
    let shown = ''
    for (let round = -1; round < rounds; round++) {
      const ours = timesOf(count, (n) => judge(request(n)))
      const theirs = timesOf(count, (n) => bare(request(n)))
      if (round < 0) continue
      ratios.push(median(ours) / median(theirs))
      tails.push(at(ours, 0.99))
      shown = `p50 ${micros(median(ours))} against ${micros(median(theirs))}`
    }
    return [
      atMost('policy.decision-p99', median(tails), 1, 'ms', shown),
      atMost('policy.decision-beside-cedar', median(ratios), 1.5, 'x'),
    ]
  },
}

/** As somebody would call Cedar: all rules parsed once, and the request validated. */
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

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0

const micros = (ms: number): string => `${(ms * 1000).toFixed(0)} µs`

export const policyStep: Suite = {
  area: 'policy',
  title: 'a durable step with a policy beside one without',
  async run({ scale }) {
    const n = Math.max(50, Math.round(iterations * scale))
    const policy = await createPolicy([{ file, text: harmless, mode: 'enforce' }])
    const ratios: number[] = []
    let shown = ''
    for (let round = -1; round < rounds; round++) {
      const without = await stepsCost(n)
      const withPolicy = await stepsCost(n, policy)
      if (round < 0) continue
      ratios.push(withPolicy.wallMs / without.wallMs)
      const each = ({ wallMs }: Cost): string => micros(wallMs / (n * 2))
      shown = `a step: ${each(withPolicy)} against ${each(without)}, wall`
    }
    return [atMost('policy.step-cost', median(ratios), 1.15, 'x', shown)]
  },
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
