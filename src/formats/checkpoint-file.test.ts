// The format as a whole: files survive a round trip, and what a run continues from is exact.

import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  defaultLimits,
  initialState,
  type Json,
  type RunId,
  type RunState,
  type TreeId,
  toJson,
} from '../loop/index.ts'
import { canonicalJson } from '../protocol/canonical-json.ts'
import type { CheckpointFile } from '../protocol/checkpoint/checkpoint-file.ts'
import { recordedEventSchema } from '../protocol/events/event-schema.ts'
import { id } from '../protocol/values.ts'
import type { CheckpointSource } from './checkpoint-source.ts'
import { fromCheckpointFile } from './from-checkpoint-file.ts'
import { parseCheckpointFile } from './parse-checkpoint-file.ts'
import { toCheckpointFile } from './to-checkpoint-file.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const parse = (text: string): CheckpointFile => parseCheckpointFile(text, sha256)
const write = (source: CheckpointSource): CheckpointFile => toCheckpointFile(source, sha256)

const run = { id: id<RunId>().parse('0190a5b8-run'), name: 'calm-otter' }
const tree = id<TreeId>().parse('tree-1')

const state: RunState = {
  ...initialState,
  status: 'running',
  seq: 9,
  createdAtMs: 1_000,
  atMs: 61_000,
  loop: 'plain',
  codeDigest: 'c0de',
  iteration: 3,
  progress: toJson({ entries: [{ iteration: 3, text: 'three' }] }),
  tree,
  evidence: { tests: { status: 'met', iteration: 3, tree } },
  spent: { tokens: 1200, costMicros: 345 },
  activeMs: 55_000,
}
const source: CheckpointSource = {
  run,
  state,
  events: [],
  input: toJson({ goal: 'make it green' }),
  checks: ['tests'],
  files: [{ path: 'a/b.txt', mode: 'file', encoding: 'utf8', content: 'hé\n' }],
}
const file = write(source)

describe('a checkpoint file', () => {
  const json = fc.option(fc.jsonValue(), { nil: undefined })
  const evidence = fc.dictionary(
    fc.string(),
    fc.record({
      status: fc.constantFrom('met', 'not-met', 'error', 'timeout', 'skipped'),
      iteration: fc.nat(),
    }),
  )
  const sources = fc
    .record({
      progress: json,
      input: json,
      iteration: fc.maxSafeNat(),
      iterations: fc.maxSafeNat(),
      timeMs: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      reserved: fc.dictionary(fc.string(), fc.constant({ tokens: 7, costMicros: 1 })),
      evidence,
      loop: fc.string(),
      checks: fc.array(fc.string()),
      atMs: fc.maxSafeInteger(),
      content: fc.string({ unit: 'grapheme' }),
    })
    .map(({ progress, input, checks, content, iterations, timeMs, ...rest }): CheckpointSource => {
      const limits = { ...defaultLimits, iterations, timeMs }
      const { progress: _old, ...without } = { ...state, ...rest, limits }
      return {
        ...source,
        checks,
        input: input === undefined ? undefined : toJson(input),
        state: progress === undefined ? without : { ...without, progress: toJson(progress) },
        files: [{ path: 'f', mode: 'file', encoding: 'utf8', content }],
      }
    })

  test('survives a round trip, and restores what a run continues from', () => {
    fc.assert(
      fc.property(sources, (given) => {
        const written = write(given)
        const read = parse(JSON.stringify(written))
        expect(read).toEqual(written)
        expect(canonicalJson(read)).toBe(canonicalJson(written))
        const back = fromCheckpointFile(read)
        const was = given.state
        expect(canonicalJson([back.progress ?? null, back.input ?? null])).toBe(
          canonicalJson([was.progress ?? null, given.input ?? null]),
        )
        expect('progress' in back).toBe(was.progress !== undefined)
        expect('input' in back).toBe(given.input !== undefined)
        expect(back.iteration).toBe(was.iteration)
        expect(back.limits).toEqual(was.limits)
        expect(canonicalJson(back.evidence)).toBe(canonicalJson(was.evidence))
        expect(back.files).toEqual(given.files)
      }),
    )
  })

  test('is the same if it is indented or its keys are sorted', () => {
    expect(parse(JSON.stringify(file, null, 2))).toEqual(file)
    expect(parse(canonicalJson(file))).toEqual(file)
  })

  test('preserves progress with dangerous key names, without polluting prototypes', () => {
    const progress = toJson(JSON.parse('{"__proto__":{"polluted":1},"constructor":2}'))
    const back = fromCheckpointFile(
      parse(JSON.stringify(write({ ...source, state: { ...state, progress } }))),
    )
    expect(canonicalJson(back.progress)).toBe('{"__proto__":{"polluted":1},"constructor":2}')
    expect('polluted' in {}).toBe(false)
  })

  test('preserves progress nested as deeply as a run allows', () => {
    const progress = toJson(JSON.parse('['.repeat(201) + ']'.repeat(201)))
    const back = fromCheckpointFile(
      parse(JSON.stringify(write({ ...source, state: { ...state, progress } }))),
    )
    expect(back.progress).toEqual(progress)
  })

  test('restores as a new run that records its origin', () => {
    expect(fromCheckpointFile(file)).toMatchObject({
      origin: { type: 'checkpoint', checkpoint: '0190a5b8-run:9', iteration: 3 },
      from: run,
      loop: 'plain',
      codeDigest: 'c0de',
      spent: { tokens: 1200, costMicros: 345 },
      evidence: { tests: { status: 'met', iteration: 3, tree } },
      tree,
    })
  })

  test('gets defaults for missing fields, and is complete from then on', () => {
    const { region: _region, ...loop_config } = file.loop_config
    const { sha256: _digest, ...rest } = { ...file, loop_config }
    const read = parse(JSON.stringify({ ...rest, sha256: sha256(canonicalJson(rest)) }))
    expect(read.loop_config.region).toBe('us-east-1')
    expect(parse(JSON.stringify(read))).toEqual(read)
  })
})

describe('C1: values are fitted to the legacy format, and stay exact in our part', () => {
  const wide = write({
    ...source,
    state: {
      ...state,
      loop: 'x'.repeat(80),
      limits: { ...defaultLimits, iterations: 1_000_000, timeMs: 5 },
      createdAtMs: -5,
      atMs: Number.MAX_SAFE_INTEGER,
    },
  })

  test('numbers and names', () => {
    expect(wide.loop_config).toMatchObject({
      agent_name: 'x'.repeat(64),
      max_iterations: 10_000,
      iteration_timeout_seconds: 30,
    })
    expect(wide.state).toMatchObject({
      max_iterations: 10_000,
      started_at: '1970-01-01T00:00:00.000Z',
    })
    expect(wide.checkpoint.created_at).toBe('9999-12-31T23:59:59.999Z')
    expect(wide.loopwright).toMatchObject({
      loop: 'x'.repeat(80),
      limits: { iterations: 1_000_000 },
    })
  })

  test('a limit of zero iterations, and a loop without a name', () => {
    const limits = { ...defaultLimits, iterations: 0 }
    const none = write({ ...source, state: { ...state, loop: '', limits } })
    expect(none.loop_config).toMatchObject({ agent_name: 'unnamed', max_iterations: 1 })
    expect(none.loopwright.limits.iterations).toBe(0)
  })

  test.each<[Json | undefined, Json]>([
    [undefined, {}],
    [{ a: 1 }, { a: 1 }],
    [[1], { progress: [1] }],
    [null, { progress: null }],
  ])('progress %j is the agent state %j', (progress, agentState) => {
    const { progress: _old, ...rest } = state
    const given = progress === undefined ? rest : { ...rest, progress }
    expect(write({ ...source, state: given }).checkpoint.agent_state).toEqual(agentState)
  })

  test('only the newest 100 events are included', () => {
    const warning = { type: 'warning', code: 'c', message: 'm' }
    const events = Array.from({ length: 250 }, (_, index) =>
      recordedEventSchema.parse({
        run: run.id,
        seq: index + 1,
        position: index,
        atMs: index,
        event: warning,
      }),
    )
    const many = write({ ...source, state: { ...state, seq: 240 }, events }).events
    expect(many.map((event) => event.details['seq'])).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 141),
    )
  })
})

describe('an iteration in progress', () => {
  test('is not part of the checkpoint: the tree is the one before it, and reservations count as spent', () => {
    const open = { iteration: 4, fromSeq: 8, startedAtMs: 2, codeDigest: 'c0de' }
    const treeAtIterationStart = id<TreeId>().parse('tree-0')
    const reserved = { call: { tokens: 100, costMicros: 5 } }
    const { loopwright } = write({
      ...source,
      state: { ...state, open, treeAtIterationStart, reserved },
    })
    expect(loopwright).toMatchObject({ tree: 'tree-0', spent: { tokens: 1300, costMicros: 350 } })
  })
})

test('a file that a reader would refuse is not written', () => {
  const files = [{ path: '../up', mode: 'file', encoding: 'utf8', content: '' }] as const
  expect(() => write({ ...source, files })).toThrow(/\$\.loopwright\.files\[0\]\.path/)
  const limits = { ...defaultLimits, tokens: Number.POSITIVE_INFINITY }
  expect(() => write({ ...source, state: { ...state, limits } })).toThrow(
    expect.objectContaining({ code: 'not-serialisable' }),
  )
})
