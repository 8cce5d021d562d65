import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CheckStatus,
  checksPass,
  initialState,
  type RunId,
  type RunState,
  type TreeId,
} from '../loop/index.ts'
import { exitConditionStatusSchema } from '../protocol/checkpoint/entity-schemas.ts'
import { recordedEventSchema } from '../protocol/events/event-schema.ts'
import { id } from '../protocol/values.ts'
import type { CheckpointSource } from './checkpoint-source.ts'
import { toExitConditionConfigs, toExitConditions } from './exit-conditions.ts'

const run = { id: id<RunId>().parse('r1'), name: 'calm-otter' }
const treeA = id<TreeId>().parse('A')
const treeB = id<TreeId>().parse('B')
const statuses: readonly CheckStatus[] = ['met', 'not-met', 'error', 'timeout', 'skipped']

const createSource = (
  evidence: RunState['evidence'],
  checks: readonly string[],
): CheckpointSource => ({
  run,
  state: { ...initialState, seq: 10, tree: treeA, evidence },
  events: [],
  input: undefined,
  checks,
})

const finished = (seq: number, result: object): CheckpointSource['events'][number] =>
  recordedEventSchema.parse({
    run: run.id,
    seq,
    position: seq,
    atMs: seq * 1000,
    event: {
      type: 'step-finished',
      iteration: 2,
      step: 'check:tests#1',
      attempt: 1,
      result,
      evidence: { check: 'tests', status: 'not-met', iteration: 2, tree: 'A' },
    },
  })

describe('exit conditions', () => {
  test.each([
    ['met', 'met', null],
    ['not-met', 'not_met', null],
    ['error', 'error', 'the check could not run'],
    ['timeout', 'error', 'the check exceeded its time limit'],
    ['skipped', 'skipped', null],
  ] as const)('a check that is %s is %s', (status, expected, error_message) => {
    const [condition] = toExitConditions(
      createSource({ tests: { status, iteration: 2, tree: treeA } }, ['tests']),
    )
    expect(condition).toMatchObject({ status: expected, error_message, iteration_evaluated: 1 })
  })

  test('a check without a result is pending, and so is one whose tree has changed', () => {
    const evidence = { old: { status: 'met', iteration: 2, tree: treeB } } as const
    const conditions = toExitConditions(createSource(evidence, ['old', 'never', 'toString']))
    expect(conditions.map((condition) => condition.status)).toEqual([
      'pending',
      'pending',
      'pending',
    ])
  })

  test('X1: all are met exactly when the engine says that all checks pass', () => {
    const names = ['tests', 'lint', 'mine', '__proto__']
    const found = fc.record({
      status: fc.constantFrom(...statuses),
      iteration: fc.nat(),
      tree: fc.constantFrom(treeA, treeB),
    })
    const part = fc.dictionary(fc.constantFrom(...names), found)
    fc.assert(
      fc.property(part, fc.subarray(names, { minLength: 1 }), (evidence, checks) => {
        const conditions = toExitConditions(createSource(evidence, checks))
        expect(conditions.every((condition) => condition.status === 'met')).toBe(
          checksPass(checks, evidence, treeA),
        )
      }),
    )
  })

  test('X2: the type depends on what a check is, not on its name', () => {
    const source = createSource({}, ['lint', 'tests', 'mine', 'good'])
    const described = {
      ...source,
      state: {
        ...source.state,
        checks: [
          { check: 'lint', kind: 'command', condition: 'all_tests_pass' },
          { check: 'tests', kind: 'judge' },
          { check: 'mine', kind: 'command', condition: 'linting_clean' },
          { check: 'good', kind: 'command' },
        ],
      },
    } as const
    expect(toExitConditions(described).map(({ type }) => type)).toEqual([
      'all_tests_pass',
      'custom',
      'linting_clean',
      'custom',
    ])
    expect(
      toExitConditionConfigs(described).map(({ type, custom_evaluator }) => [
        type,
        custom_evaluator,
      ]),
    ).toEqual([
      ['all_tests_pass', null],
      ['custom', 'judge'],
      ['linting_clean', null],
      ['custom', 'command'],
    ])
  })

  test('X2: for journals that do not record what a check is, the type depends on its name', () => {
    const conditions = toExitConditions(
      createSource({}, ['tests', 'lint', 'build', 'security', 'all_tests_pass', 'mine', 'yours']),
    )
    expect(conditions.map(({ type, tool_name }) => `${tool_name}: ${type}`)).toEqual([
      'tests: all_tests_pass',
      'lint: linting_clean',
      'build: build_succeeds',
      'security: security_scan_clean',
      'all_tests_pass: all_tests_pass',
      'mine: custom',
      'yours: custom',
    ])
  })

  test('the newest result up to the state provides the details, and the end of the output', () => {
    const events = [
      finished(3, { value: { output: 'old' } }),
      finished(5, {
        value: { exitCode: 1, output: `${'x'.repeat(5000)} 2 failed`, durationMs: 12.4 },
      }),
      finished(11, { value: { output: 'after the checkpoint' } }),
    ]
    const evidence = { tests: { status: 'not-met', iteration: 2, tree: treeA } } as const
    const [condition] = toExitConditions({ ...createSource(evidence, ['tests']), events })
    expect(condition).toMatchObject({
      status: 'not_met',
      tool_exit_code: 1,
      evaluated_at: '1970-01-01T00:00:05.000Z',
      evaluation_duration_ms: 12,
    })
    expect(condition?.tool_output).toHaveLength(1000)
    expect(condition?.tool_output).toMatch(/ 2 failed$/)
    expect(exitConditionStatusSchema.safeParse(condition).error).toBeUndefined()
  })

  test.each([
    ['is in a blob', { blob: 'b10b', bytes: 70_000 }],
    ['has another shape', { value: { exitCode: 'one', output: 7 } }],
  ])('a result that %s leaves the details out', (_what, result) => {
    const evidence = { tests: { status: 'not-met', iteration: 2, tree: treeA } } as const
    const [condition] = toExitConditions({
      ...createSource(evidence, ['tests']),
      events: [finished(3, result)],
    })
    expect(condition).toMatchObject({ status: 'not_met', tool_output: null, tool_exit_code: null })
  })
})
