// Damaged, hostile and newer files: the result is a file or a `bad-checkpoint` rejection.

import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  eventVersion,
  initialState,
  isLoopError,
  type RunId,
  type RunState,
  toJson,
} from '../loop/index.ts'
import { canonicalJson } from '../protocol/canonical-json.ts'
import type { CheckpointFile } from '../protocol/checkpoint/checkpoint-file.ts'
import { id } from '../protocol/values.ts'
import { parseCheckpointFile } from './parse-checkpoint-file.ts'
import { toCheckpointFile } from './to-checkpoint-file.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const parse = (text: string): CheckpointFile => parseCheckpointFile(text, sha256)

const state: RunState = {
  ...initialState,
  loop: 'plain',
  iteration: 3,
  progress: toJson({ entries: [{ iteration: 3, text: 'three' }] }),
  spent: { tokens: 1200, costMicros: 345 },
}
const file = toCheckpointFile(
  {
    run: { id: id<RunId>().parse('0190a5b8-run'), name: 'calm-otter' },
    state,
    events: [],
    input: toJson({ goal: 'make it green' }),
    checks: ['tests', 'mine'],
    files: [{ path: 'a/b.txt', mode: 'file', encoding: 'utf8', content: 'hé\n' }],
  },
  sha256,
)
const text = JSON.stringify(file)

/** A forgery by someone who can compute digests. */
function forge(change: object): string {
  const { sha256: _old, ...rest } = { ...file, ...change }
  return JSON.stringify({ ...rest, sha256: sha256(canonicalJson(rest)) })
}
const forgeOwn = (change: object): string =>
  forge({ loopwright: { ...file.loopwright, ...change } })

describe('refuses, naming the field and what to do:', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const noDigest: Record<string, unknown> = { ...file }
  delete noDigest['sha256']
  const { state: loopState, loop_config: config } = file

  test.each<[string, string, RegExp]>([
    ['invalid JSON', '{"format":', /not JSON: .* Export the checkpoint again/],
    ['an empty text', '', /not JSON/],
    ['a list', '[]', /\$: it is not an object/],
    ['null', 'null', /\$: it is not an object/],
    ['something else', '{"name":"x"}', /\$\.format: it is not "loopwright-checkpoint"/],
    ['a newer format', forge({ format_version: 2 }), /\$\.format_version: it is 2.* upgrade/],
    ['an invalid format version', forge({ format_version: '1' }), /\$\.format_version: /],
    ['newer events', forgeOwn({ eventVersion: eventVersion + 1 }), /eventVersion: .* upgrade/],
    ['an unknown key', forge({ extra: 1 }), /\$: Unrecognized key: "extra"/],
    ['one in a part', forge({ state: { ...loopState, a: 1 } }), /\$\.state: Unrecognized key: "a"/],
    ['no digest', JSON.stringify(noDigest), /\$\.sha256: /],
    [
      'another digest',
      JSON.stringify({ ...file, sha256: '0'.repeat(64) }),
      /\$\.sha256: .*damaged/,
    ],
    ['changed content', text.replace('three', 'THREE'), /\$\.sha256: .*damaged or was changed/],
    [
      'a number out of bounds',
      forge({ loop_config: { ...config, max_iterations: 10_001 } }),
      /\$\.loop_config\.max_iterations: /,
    ],
    [
      'a huge number',
      text.replace('"tokens":1200', '"tokens":1e999'),
      /\$\.loopwright\.spent\.tokens cannot be stored/,
    ],
    ['a huge integer', forgeOwn({ iteration: 2 ** 60 }), /\$\.loopwright\.iteration: /],
    ['a negative one', forgeOwn({ spent: { tokens: -1, costMicros: 0 } }), /spent\.tokens: /],
    [
      'deep nesting',
      text.replace('"input":{"goal":"make it green"}', `"input":${deep}`),
      /\$\.loopwright\.input\[0\].*nested more than/,
    ],
    [
      'a path outside the workspace',
      forgeOwn({ files: [{ ...file.loopwright.files?.[0], path: '/etc/x' }] }),
      /files\[0\]\.path: /,
    ],
    [
      'a key named __proto__',
      text.replace('{"format"', '{"__proto__":{"a":1},"format"'),
      /Unrecognized key: "__proto__"/,
    ],
    ['a very long key', forge({ ['k'.repeat(100_000)]: 1 }), /^.{1,500}$/],
  ])('%s', (_what, given, message) => {
    expect(() => parse(given)).toThrow(
      expect.objectContaining({ code: 'bad-checkpoint', message: expect.stringMatching(message) }),
    )
  })
})

describe('any text gives the same file or a rejection', () => {
  test('after damage anywhere', () => {
    const insert = fc.constantFrom(
      '',
      ' ',
      '0',
      '"',
      '{',
      ']',
      '\\',
      ',',
      '1e999',
      '"__proto__":0,',
      '\0',
    )
    const damage = fc.tuple(fc.nat(text.length), fc.nat(12), insert)
    fc.assert(
      fc.property(damage, ([at, cut, put]) => {
        const outcome = tryParse(text.slice(0, at) + put + text.slice(at + cut))
        expect(['refused', file]).toContainEqual(outcome)
      }),
      { numRuns: 500 },
    )
  })

  test('after replacing any value and recomputing the digest', () => {
    const paths = listPaths(JSON.parse(text))
    const change = fc.tuple(fc.constantFrom(...paths), fc.jsonValue())
    fc.assert(
      fc.property(change, ([path, value]) => {
        const outcome = tryParse(forge(replaced(JSON.parse(text), path, value)))
        const again = outcome === 'refused' ? outcome : tryParse(JSON.stringify(outcome))
        expect(again).toEqual(outcome)
      }),
      { numRuns: 500 },
    )
  })

  test('for arbitrary text and arbitrary JSON', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (given) => {
        expect(tryParse(given)).toBe('refused')
      }),
    )
  })
})

function tryParse(given: string): CheckpointFile | 'refused' {
  try {
    return parse(given)
  } catch (error) {
    if (isLoopError(error, 'bad-checkpoint')) return 'refused'
    throw error
  }
}

type Path = readonly (string | number)[]

function listPaths(value: unknown, here: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [here]
  const below = Object.entries(value).flatMap(([key, item]) => listPaths(item, [...here, key]))
  return here.length === 0 ? below : [here, ...below]
}

function replaced(value: object, [key, ...rest]: Path, by: unknown): object {
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    if (name !== key) return [name, item]
    return [name, rest.length === 0 ? by : replaced(Object(item), rest, by)]
  })
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}
