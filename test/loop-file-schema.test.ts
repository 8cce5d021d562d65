// The published schema of loop files, as editors use it, and the parser accept the same files.

import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { loopFileSeeds } from '../build/proof/loop-file-seeds.js'
import { loopTypes } from '../src/loops/index.ts'
import { builtInToolNames } from '../src/protocol/index.ts'
import { jsonSchemas } from '../src/protocol/json-schemas.ts'
import { createPlainCommands } from '../src/sandbox/index.ts'
import { builtInTools } from '../src/tools/index.ts'

const schema = z.fromJSONSchema(
  JSON.parse(JSON.stringify(jsonSchemas(loopTypes)['loop.schema.json'])),
)
const isRight = (value: unknown): boolean => schema.safeParse(value).success
const small = { prompt: 'x', agent: { command: ['a'] }, checks: { test: 'x' } }

describe('the published schema of loop files', () => {
  test.each(loopFileSeeds.map((text, index) => [index, text] as const))(
    'accepts a file of each form (%i)',
    (_index, text) => expect(isRight(parse(text))).toBe(true),
  )

  test.each<[string, object]>([
    ['an unknown key', { promt: 'x' }],
    ['a nested unknown key', { limits: { iteration: 3 } }],
    ['an agent of two kinds', { agent: { command: ['a'], model: 'a/b' } }],
    ['a duration without a unit', { limits: { time: '30' } }],
    ['a number for a duration', { limits: { time: 30 } }],
    ['an unknown condition', { until: [{ type: 'checks-passed' }] }],
    ['an invalid nested condition', { until: [{ type: 'any', of: [{}] }] }],
    ['an empty command', { checks: { test: [] } }],
    ['a check name that no step can have', { checks: { 'a/b': 'x' } }],
  ])('refuses %s', (_what, change) => {
    expect(isRight(small)).toBe(true)
    expect(isRight({ ...small, ...change })).toBe(false)
  })
})

test('the tools that a loop file may name are the built-in ones', () => {
  const names = builtInTools({ commands: createPlainCommands() }).map(({ name }) => name)
  expect([...builtInToolNames].toSorted()).toEqual(names.toSorted())
})
