import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { loopConfigBounds } from './entities.ts'
import {
  checkpointSchema,
  exitConditionConfigSchema,
  exitConditionStatusSchema,
  iterationEventSchema,
  loopConfigSchema,
  loopResultSchema,
  loopStateSchema,
} from './entity-schemas.ts'

const time = '2026-01-17T10:00:00.000Z'
const session = { session_id: 's', agent_name: 'a', max_iterations: 100 }

/** Each entity with only its required fields. */
const least: readonly (readonly [string, z.ZodType, Record<string, unknown>])[] = [
  ['LoopConfig', loopConfigSchema, { agent_name: 'a' }],
  ['ExitConditionConfig', exitConditionConfigSchema, { type: 'custom' }],
  ['ExitConditionStatus', exitConditionStatusSchema, { type: 'custom', status: 'pending' }],
  ['LoopState', loopStateSchema, { ...session, started_at: time }],
  [
    'Checkpoint',
    checkpointSchema,
    { ...session, checkpoint_id: 'c', iteration: 0, phase: 'running', created_at: time },
  ],
  [
    'IterationEvent',
    iterationEventSchema,
    { ...session, event_type: 'loop.started', iteration: 0, timestamp: time },
  ],
  [
    'LoopResult',
    loopResultSchema,
    {
      ...session,
      outcome: 'completed',
      iterations_completed: 1,
      started_at: time,
      completed_at: time,
      duration_seconds: 0.5,
    },
  ],
]

describe.each(least)('%s', (_name, schema, value) => {
  test('needs only its required fields', () => {
    expect(schema.safeParse(value).error).toBeUndefined()
  })

  test('refuses an unknown key, also one named __proto__', () => {
    expect(schema.safeParse({ ...value, extra: 1 }).success).toBe(false)
    const withProto: unknown = JSON.parse(JSON.stringify(value).replace('{', '{"__proto__":{},'))
    expect(schema.safeParse(withProto).success).toBe(false)
  })

  test.each(Object.keys(value))('requires %s', (key) => {
    const { [key]: _gone, ...rest } = value
    expect(schema.safeParse(rest).success).toBe(false)
  })
})

describe('defaults are those of the legacy format', () => {
  test('of a configuration', () => {
    expect(loopConfigSchema.parse({ agent_name: 'a' })).toEqual({
      agent_name: 'a',
      session_id: null,
      max_iterations: 100,
      checkpoint_interval: 5,
      checkpoint_expiry_seconds: 86_400,
      exit_conditions: [],
      iteration_timeout_seconds: 300,
      verification_timeout_seconds: 30,
      policy_engine_arn: null,
      gateway_url: null,
      region: 'us-east-1',
      custom_metadata: {},
    })
  })

  test('of a state', () => {
    expect(loopStateSchema.parse({ ...session, started_at: time })).toMatchObject({
      current_iteration: 0,
      phase: 'initializing',
      is_active: false,
      exit_conditions: [],
      agent_state: {},
      last_checkpoint_iteration: null,
    })
  })
})

describe('bounds are those of the legacy format', () => {
  const published = [
    ['max_iterations', 1, 10_000],
    ['checkpoint_interval', 1, 100],
    ['checkpoint_expiry_seconds', 3600, 604_800],
    ['iteration_timeout_seconds', 30, 3600],
    ['verification_timeout_seconds', 5, 120],
  ] as const

  test('and there are no others', () => {
    expect(Object.keys(loopConfigBounds)).toEqual(published.map(([field]) => field))
  })

  test.each(published)('%s: %i to %i, whole numbers', (field, min, max) => {
    const accepts = (number: unknown): boolean =>
      loopConfigSchema.safeParse({ agent_name: 'a', [field]: number }).success
    expect([min, max].map(accepts)).toEqual([true, true])
    expect([min - 1, max + 1, min + 0.5, String(min), null].some(accepts)).toBe(false)
  })

  test('agent_name: 1 to 64 characters', () => {
    const accepted = [0, 1, 64, 65].map(
      (length) => loopConfigSchema.safeParse({ agent_name: 'x'.repeat(length) }).success,
    )
    expect(accepted).toEqual([false, true, true, false])
  })

  test('tool_output: at most 1000 characters', () => {
    const status = { type: 'custom', status: 'met' }
    const accepted = [1000, 1001].map(
      (length) =>
        exitConditionStatusSchema.safeParse({ ...status, tool_output: 'x'.repeat(length) }).success,
    )
    expect(accepted).toEqual([true, false])
  })

  test.each(['yesterday', '2026-02-30T00:00:00Z', '2026-01-17', '2026-01-17T10:00:00'])(
    'a time is a date-time with its zone, not %s',
    (text) => {
      expect(loopStateSchema.safeParse({ ...session, started_at: text }).success).toBe(false)
    },
  )
})
