// The published schemas match the code exactly, and can be used without it.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { basePolicy, policySchema } from '../src/authority/policy/policy-language.ts'
import { toCheckpointFile } from '../src/formats/index.ts'
import { initialState } from '../src/loop/index.ts'
import { loopTypes } from '../src/loops/index.ts'
import { recordedEventSchema } from '../src/protocol/index.ts'
import { jsonSchemas } from '../src/protocol/json-schemas.ts'

const folder = resolve(import.meta.dirname, '..', 'schemas')
const generated = jsonSchemas(loopTypes)
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))

describe('schemas/', () => {
  test('contains exactly the schemas that the code generates', () => {
    const files = readdirSync(folder, { recursive: true }).map(String)
    expect(files.filter((name) => name.endsWith('.json')).toSorted()).toEqual(
      Object.keys(generated).toSorted(),
    )
  })

  test.each(Object.keys(generated))(
    '%s is up to date; after a build, node scripts/schemas.mjs writes it',
    (name) => expect(read(name)).toEqual(generated[name]),
  )

  test.each(Object.keys(generated))('%s names its draft and itself', (name) => {
    // Editors read the schemas of files that people write, and not all of them know a newer draft.
    const draft = ['config.schema.json', 'loop.schema.json', 'manifest.schema.json'].includes(name)
      ? 'http://json-schema.org/draft-07/schema#'
      : 'https://json-schema.org/draft/2020-12/schema'
    expect(read(name)).toMatchObject({
      $schema: draft,
      $id: expect.stringMatching(/^urn:loopwright:schema:[a-z-]+:\d+$/),
    })
  })

  test.each(Object.keys(generated))('%s refers only to parts that it contains', (name) => {
    const text = JSON.stringify(generated[name])
    const held = z.record(z.string(), z.unknown()).default({})
    const { $defs, definitions } = z
      .object({ $defs: held, definitions: held })
      .parse(generated[name])
    const parts = { ...$defs, ...definitions }
    const references = [...text.matchAll(/"\$ref":"#\/(?:\$defs|definitions)\/(\w+)"/g)].map(
      (match) => match[1],
    )
    expect(references.filter((part) => !(String(part) in parts))).toEqual([])
    expect(references.length).toBe(text.split('"$ref"').length - 1)
  })
})

test.each([
  ['policy.cedarschema', policySchema],
  ['base.cedar', basePolicy],
])('schemas/%s is up to date; after a build, node scripts/schemas.mjs writes it', (name, text) => {
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
})

describe('the published checkpoint schema', () => {
  const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(generated['checkpoint.schema.json'])))
  const event = { type: 'warning', code: 'near-limit', message: '80 %' }
  const recorded = recordedEventSchema.parse({ run: 'r1', seq: 1, position: 1, atMs: 1, event })
  const file = toCheckpointFile(
    {
      run: { id: recorded.run, name: 'calm-otter' },
      state: { ...initialState, seq: 1, loop: 'plain', progress: { done: 3 } },
      events: [recorded],
      input: { goal: 'x' },
      checks: ['tests'],
    },
    sha256,
  )

  test('accepts a file that the code wrote', () => {
    expect(schema.safeParse(file).error).toBeUndefined()
  })

  test.each([
    ['an unknown key', { ...file, extra: 1 }],
    ['a nested unknown key', { ...file, state: { ...file.state, extra: 1 } }],
    ['another version', { ...file, format_version: 2 }],
    [
      'a number out of bounds',
      { ...file, loop_config: { ...file.loop_config, max_iterations: 0 } },
    ],
    ['a missing part', { ...file, loopwright: undefined }],
  ])('refuses %s', (_what, value) => {
    expect(schema.safeParse(JSON.parse(JSON.stringify(value))).success).toBe(false)
  })
})
