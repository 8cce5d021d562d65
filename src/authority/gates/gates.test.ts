import { describe, expect, test } from 'vitest'
import type { Gate, Verdict } from '../../engine/index.ts'
import type { Action, ActionFacts, StepId } from '../../loop/index.ts'
import { allowListGate, alwaysEscalate, callbackGate, mergeGate, policyGate } from './gates.ts'

const merge: Action = { kind: 'merge', summary: 'Merge it' }
const good: ActionFacts = {
  level: 3,
  verified: true,
  files: ['src/sum.ts'],
  spent: { tokens: 10, costMicros: 1000 },
  outsideScope: [],
}
const at = { iteration: 1, step: 'gate:merge#1' as StepId }
const judge = (gate: Gate, facts: ActionFacts = good, action = merge): Promise<Verdict> =>
  gate.judge(action, at, facts)

test('always-escalate asks about everything', async () => {
  expect(await judge(alwaysEscalate)).toEqual({
    type: 'ask',
    reason: 'report-only / human review required',
    rule: 'always-escalate',
  })
})

describe('the gate of a loop type that merges certified work', () => {
  const gate = mergeGate('agent/shop', alwaysEscalate)
  const into = (branch: string): Action => ({ ...merge, details: { into: branch } })
  const ask = { type: 'ask' }

  test.each<[string, Partial<ActionFacts>, Action, object]>([
    ['its branch', {}, into('agent/shop'), { type: 'allow', rule: 'merge-when-certified' }],
    ['its branch at level 2', { level: 2 }, into('agent/shop'), { type: 'allow' }],
    ['its branch at level 1', { level: 1 }, into('agent/shop'), ask],
    ['work that is not certified', { verified: false }, into('agent/shop'), ask],
    ['another branch', {}, into('main'), ask],
    ['no branch', {}, merge, ask],
    ['another kind', {}, { ...into('agent/shop'), kind: 'open-pr' }, ask],
  ])('%s', async (_name, facts, action, verdict) => {
    expect(await judge(gate, { ...good, ...facts }, action)).toMatchObject(verdict)
  })
})

describe('allow-list', () => {
  const gate = allowListGate({ allow: ['merge'], deny: ['.github/**'], maxCostMicros: 5000 })

  test('allows a listed kind for verified work at L3', async () => {
    expect(await judge(gate)).toEqual({ type: 'allow', rule: 'allow-list' })
  })

  test.each<[string, Partial<ActionFacts>, Action, string]>([
    ['not L3', { level: 2 }, merge, 'allowlist gate only auto-proceeds at L3'],
    ['unverified', { verified: false }, merge, 'checker did not verify the work'],
    ['kind', {}, { ...merge, kind: 'push' }, 'action kind `push` is not allowlisted'],
    ['denied path', { files: ['.github/ci.yml'] }, merge, 'changes a denied path: .github/ci.yml'],
    ['other case', { files: ['.GitHub/ci.yml'] }, merge, 'changes a denied path: .GitHub/ci.yml'],
    [
      'too many files',
      { files: Array.from({ length: 11 }, (_, index) => `src/${index}.ts`) },
      merge,
      'changes 11 files, more than 10',
    ],
    [
      'cost',
      { spent: { tokens: 1, costMicros: 5001 } },
      merge,
      'the run cost 5001 micro-dollars, more than 5000',
    ],
    ['scope', { outsideScope: ['package.json'] }, merge, 'changes outside the scope: package.json'],
  ])('asks: %s', async (_name, facts, action, reason) => {
    expect(await judge(gate, { ...good, ...facts }, action)).toEqual({
      type: 'ask',
      reason,
      rule: 'allow-list',
    })
  })

  test('the first reason is given: level, then verification, then kind, then paths', async () => {
    const worst: ActionFacts = {
      ...good,
      level: 2,
      verified: false,
      files: ['.github/ci.yml'],
      outsideScope: ['.github/ci.yml'],
    }
    const push = { ...merge, kind: 'push' }
    const reasons = [
      await judge(gate, worst, push),
      await judge(gate, { ...worst, level: 3 }, push),
      await judge(gate, { ...worst, level: 3, verified: true }, push),
      await judge(gate, { ...worst, level: 3, verified: true }, merge),
    ].map((verdict) => ('reason' in verdict ? verdict.reason : ''))
    expect(reasons).toEqual([
      'allowlist gate only auto-proceeds at L3',
      'checker did not verify the work',
      'action kind `push` is not allowlisted',
      'changes a denied path: .github/ci.yml',
    ])
  })

  test('an unknown scope needs a person', async () => {
    const { outsideScope: _unknown, ...facts } = good
    expect(await judge(gate, facts)).toMatchObject({ reason: 'the scope of the work is unknown' })
  })

  test('a glob that starts with ! is not a negation', async () => {
    const odd = allowListGate({ allow: ['merge'], deny: ['!x', 'src/**'] })
    expect(await judge(odd)).toMatchObject({ type: 'ask' })
  })
})

test('policy allows what reaches it only at level 3 and with a policy', async () => {
  expect(await judge(policyGate, { ...good, policy: ['base'] })).toEqual({
    type: 'allow',
    rule: 'policy',
  })
  expect(await judge(policyGate)).toMatchObject({ type: 'ask' })
  expect(await judge(policyGate, { ...good, level: 2, policy: ['base'] })).toMatchObject({
    type: 'ask',
    reason: 'the policy gate allows actions only at level 3',
  })
})

test('callback sees the facts; one that throws denies', async () => {
  const strict = callbackGate((_action, { files }) =>
    files.length > 0 ? { type: 'deny', reason: 'no files today' } : { type: 'allow' },
  )
  expect(await judge(strict)).toEqual({ type: 'deny', reason: 'no files today', rule: 'callback' })
  const broken = callbackGate(() => {
    throw new Error('oops')
  })
  expect(await judge(broken)).toEqual({
    type: 'deny',
    reason: 'the gate failed: oops',
    rule: 'callback',
  })
})
