// docs/loop-file.md names every key that a loop file can have, and its examples can be used.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { describePowers, parseLoopFile } from '../src/definition/loop-file/index.ts'
import { loopTypes } from '../src/loops/index.ts'
import { jsonSchemas } from '../src/protocol/json-schemas.ts'

const root = resolve(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs', 'loop-file.md'), 'utf8')
const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '')

/** What an example leaves out because it is about something else. */
const required = [
  ['prompt', 'prompt: x'],
  ['agents?', 'agent: { model: openai/gpt-5 }'],
  ['checks', 'checks: { test: npm test }'],
] as const

function completed(example: string): string {
  // It has neither agents nor prompts.
  if (/^loop: tune$/m.test(example)) return example
  const missing = required.filter(([key]) => !new RegExp(`^${key}:`, 'm').test(example))
  return [example, ...missing.map(([, line]) => `${line}\n`)].join('')
}

/** The names of all keys, and the types of all conditions. */
function wordsOf(schema: unknown): string[] {
  const found = z
    .looseObject({ properties: z.record(z.string(), z.unknown()), const: z.string() })
    .partial()
    .safeParse(schema)
  if (Array.isArray(schema)) return schema.flatMap(wordsOf)
  if (!found.success) return []
  const {
    properties = {},
    const: word,
    examples: _examples,
    default: _default,
    ...rest
  } = found.data
  return [
    ...Object.keys(properties),
    ...(word === undefined ? [] : [word]),
    ...Object.values(properties).flatMap(wordsOf),
    ...Object.values(rest).flatMap(wordsOf),
  ]
}

describe('docs/loop-file.md', () => {
  test('names every key of a loop file, and every condition', () => {
    const words = [...new Set(wordsOf(jsonSchemas(loopTypes)['loop.schema.json']))]
    expect(words).toEqual(
      expect.arrayContaining(['prompt', 'sameErrors', 'apiKeyEnv', 'any', 'at']),
    )
    expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([])
  })

  test.each(examples.map((text, index) => [index + 1, text] as const))(
    'example %i can be used',
    async (_index, text) => {
      const { file } = await parseLoopFile(completed(text), 'example.yaml')
      expect(describePowers(file).length).toBeGreaterThan(3)
    },
  )

  test('has more than a few examples', () => expect(examples.length).toBeGreaterThan(10))

  test('shows a message verbatim', async () => {
    const text = 'prompt: x\nagent: { command: [a] }\nchekcs:\n  test: x\n\nlimits:\n  time: 30\n'
    const error: unknown = await parseLoopFile(text, 'my-loop.yaml').catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Error)
    expect(page).toContain(error instanceof Error ? error.message : '')
  })
})

describe('the published schema of loop files', () => {
  test('has a description of every key for editors', () => {
    expect(untold(jsonSchemas(loopTypes)['loop.schema.json'], '$')).toEqual([])
  })
})

/** The paths of keys without a description. */
function untold(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one, index) => untold(one, `${path}[${index}]`))
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([word, value]) => {
    if (word === 'examples' || word === 'default') return []
    if (word !== 'properties') return untold(value, `${path}.${word}`)
    return Object.entries(z.record(z.string(), z.looseObject({})).parse(value)).flatMap(
      ([key, described]) => [
        ...('description' in described || '$ref' in described ? [] : [`${path}.${key}`]),
        ...untold(described, `${path}.${key}`),
      ],
    )
  })
}
