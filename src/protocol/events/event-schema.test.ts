import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyPatch, defaultLimits, diff, toJson } from '../../loop/index.ts'
import { recordedEventSchema, runEventSchema } from './event-schema.ts'
import { patchSchema } from './patch-schema.ts'

const ended = { type: 'iteration-ended', iteration: 1, ending: { type: 'continue' } }

describe('an event from outside', () => {
  test('is accepted unchanged', () => {
    const event = {
      type: 'run-created',
      eventVersion: 1,
      loop: 'plain',
      codeDigest: 'c',
      limits: { ...defaultLimits, deadlineAtMs: 5 },
      input: { value: null },
      origin: { type: 'fork', run: 'r0', iteration: 2 },
      progress: { any: [1, 'two', null] },
      iteration: 2,
      tree: 'A',
    }
    expect(runEventSchema.parse(event)).toEqual(event)
    const recorded = { run: 'r1', seq: 1, position: 1, atMs: 1, event }
    expect(recordedEventSchema.parse(recorded)).toEqual(recorded)
  })

  test.each([
    ['of an unknown type', { type: 'run-exploded' }],
    ['with an unknown key', { ...ended, more: 1 }],
    ['without a field', { type: 'iteration-ended', iteration: 1 }],
    ['with an unknown ending', { ...ended, ending: { type: 'maybe' } }],
    ['with a field that is explicitly undefined', { ...ended, progress: undefined }],
    ['with an invalid patch', { ...ended, progress: { keep: false } }],
    ['about an iteration before the first', { ...ended, iteration: 0 }],
    [
      'that spent less than nothing',
      { type: 'budget-settled', id: 'x', spent: { tokens: -1, costMicros: 0 } },
    ],
    [
      'with a value and a blob',
      {
        type: 'step-finished',
        iteration: 1,
        step: 's',
        attempt: 1,
        result: { value: 1, blob: 'b', bytes: 1 },
      },
    ],
    ['that is not an object', 'run-created'],
  ])('%s is refused', (_what, event) => {
    expect(runEventSchema.safeParse(event).success).toBe(false)
  })
})

describe('a patch from outside', () => {
  test('is valid if the engine made it, and has the same effect', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const patch = diff(toJson(before), toJson(after))
        const received = patchSchema.parse(JSON.parse(JSON.stringify(patch)))
        expect(applyPatch(toJson(before), received)).toEqual(toJson(after))
      }),
    )
  })

  test('keeps a key named __proto__', () => {
    const patch: unknown = JSON.parse('{"at":{"__proto__":{"set":1}},"del":["a"]}')
    expect(JSON.stringify(patchSchema.parse(patch))).toBe(JSON.stringify(patch))
  })

  test.each([
    ['an empty one', {}],
    ['two kinds at once', { set: 1, push: [] }],
    ['a push that is not a list', { push: 1 }],
    ['a drop below zero', { push: [], drop: -1 }],
    ['an invalid part', { at: { a: { keep: 1 } } }],
    ['a removal that is not a name', { at: {}, del: [1] }],
    ['a removal alone', { del: ['a'] }],
    [
      'one that is nested too deeply',
      JSON.parse('{"at":{"a":'.repeat(5000) + '{"keep":true}' + '}}'.repeat(5000)),
    ],
  ])('%s is refused', (_what, patch) => {
    expect(patchSchema.safeParse(patch).success).toBe(false)
  })
})
