// A set of hostile arguments. Each gets `bad-arguments` with the position in the schema, what was
// expected and what was given; none crashes, none runs the tool, none changes a prototype.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/tools/index.ts'
import { type Bench, openBench } from './fixture.ts'

let bench: Bench
let runs = 0

const nested = defineTool({
  name: 'nested',
  description: 'Takes a list of edits.',
  parameters: z.object({
    edits: z.array(
      z.object({ file: z.string(), kind: z.enum(['insert', 'delete']), lines: z.array(z.int()) }),
    ),
    mode: z.union([z.string(), z.number()]).optional(),
    shape: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('circle'), radius: z.number() }),
        z.object({ type: z.literal('square'), side: z.number() }),
      ])
      .optional(),
  }),
  risk: 'read-only',
  run: () => {
    runs++
    return null
  },
})

const foreign = {
  name: 'foreign',
  description: 'Has a JSON Schema.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      count: { type: ['integer', 'null'] },
      mode: { enum: ['fast', 'slow'] },
      items: {
        type: 'array',
        items: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  risk: 'network' as const,
  run: () => {
    runs++
    return null
  },
}

beforeAll(() => {
  bench = openBench([nested, foreign])
  bench.put('file.txt', 'inside\n')
})
afterAll(() => bench.close())

function deep(levels: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level++) value = { path: value }
  return value
}

const itself: Record<string, unknown> = { path: 'file.txt' }
itself['again'] = itself
const parse = (text: string): unknown => JSON.parse(text)
const huge = 'x'.repeat(20_000_000)
const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]))

/** Tool, arguments, and what the message must contain. */
const set: readonly (readonly [string, unknown, ...string[]])[] = [
  // Not an object.
  ...[undefined, null, 'file.txt', '', 5, Number.NaN, true, [], ['file.txt']].map(
    (args) => ['read', args, 'arguments', 'expected an object'] as const,
  ),
  ['read', () => 'x', 'arguments', 'a function'],
  ['read', Symbol('x'), 'arguments', 'a symbol'],
  ['read', 10n, 'arguments', 'a bigint'],
  ['read', new Date(0), 'path: expected a string'],
  ['read', new Map([['path', 'file.txt']]), 'path: expected a string'],
  ['read', '{"path":"file.txt"}', 'expected an object, given "{'],
  ['read', huge, 'expected an object', '20000000 characters'],
  // Missing.
  ['read', {}, 'path: expected a string, given nothing'],
  ['write', {}, 'path: expected', 'content: expected'],
  ['write', { path: 'a.txt' }, 'content: expected a string, given nothing'],
  ['write', { content: 'x' }, 'path: expected a string, given nothing'],
  ['edit', {}, 'path: expected', 'old: expected', 'new: expected'],
  ['edit', { path: 'file.txt', old: 'a' }, 'new: expected a string, given nothing'],
  ['edit', { path: 'file.txt', new: 'a' }, 'old: expected a string, given nothing'],
  ['glob', {}, 'pattern: expected a string, given nothing'],
  ['grep', {}, 'pattern: expected a string, given nothing'],
  ['run', {}, 'command: expected a string, given nothing'],
  ['nested', {}, 'edits: expected an array, given nothing'],
  ['foreign', {}, 'path: expected a string, given nothing'],
  // Wrong types.
  ...[null, 5, true, [], {}, ['file.txt'], { path: 'x' }, Number.NaN].map(
    (path) => ['read', { path }, 'path: expected a string, given '] as const,
  ),
  ...[null, 5, false, [], {}].map(
    (content) => ['write', { path: 'a.txt', content }, 'content: expected a string'] as const,
  ),
  ...['1', null, true, [], {}].map(
    (offset) => ['read', { path: 'file.txt', offset }, 'offset: expected '] as const,
  ),
  ['read', { path: 'file.txt', offset: Number.NaN }, 'offset: expected', 'the number NaN'],
  ['read', { path: 'file.txt', offset: Number.POSITIVE_INFINITY }, 'offset: ', 'Infinity'],
  ['read', { path: 'file.txt', limit: Number.NEGATIVE_INFINITY }, 'limit: ', '-Infinity'],
  [
    'edit',
    { path: 'file.txt', old: 'a', new: 'b', replaceAll: 'yes' },
    'replaceAll: expected a boolean, given "yes"',
  ],
  ['edit', { path: 'file.txt', old: 5, new: 'b' }, 'old: expected a string, given the number 5'],
  ['edit', { path: 'file.txt', old: 'a', new: null }, 'new: expected a string, given null'],
  ['list', { path: 5 }, 'path: expected a string'],
  ['list', { path: ['.'] }, 'path: expected a string, given a list of 1'],
  ['glob', { pattern: ['*.ts'] }, 'pattern: expected a string'],
  ['glob', { pattern: '*', path: {} }, 'path: expected a string'],
  ['grep', { pattern: /x/ }, 'pattern: expected a string'],
  ['grep', { pattern: 'x', literal: 1 }, 'literal: expected a boolean, given the number 1'],
  ['grep', { pattern: 'x', ignoreCase: 'no' }, 'ignoreCase: expected a boolean'],
  ['grep', { pattern: 'x', include: ['*.ts'] }, 'include: expected a string'],
  ['grep', { pattern: 'x', maxResults: '50' }, 'maxResults: expected'],
  ['run', { command: ['ls', '-l'] }, 'command: expected a string, given a list of 2'],
  [
    'run',
    { command: { program: 'ls' } },
    'command: expected a string, given an object with 1 keys',
  ],
  ['run', { command: 'ls', timeoutMs: '5s' }, 'timeoutMs: expected', '"5s"'],
  // Out of range.
  ['read', { path: '' }, 'path: '],
  ['read', { path: 'file.txt', offset: 0 }, 'offset: ', 'the number 0'],
  ['read', { path: 'file.txt', offset: -1 }, 'offset: ', 'the number -1'],
  ['read', { path: 'file.txt', offset: 1.5 }, 'offset: expected a whole number', '1.5'],
  ['read', { path: 'file.txt', offset: 2 ** 53 }, 'offset: '],
  ['read', { path: 'file.txt', offset: 1e308 }, 'offset: '],
  ['read', { path: 'file.txt', limit: 0 }, 'limit: '],
  ['read', { path: 'file.txt', limit: 2001 }, 'limit: ', '2001'],
  ['read', { path: 'file.txt', limit: 1e9 }, 'limit: '],
  ['edit', { path: 'file.txt', old: '', new: 'x' }, 'old: '],
  ['write', { path: 'a.txt', content: huge }, 'content: ', '20000000 characters'],
  ['edit', { path: 'file.txt', old: huge, new: '' }, 'old: '],
  ['edit', { path: 'file.txt', old: 'a', new: huge }, 'new: '],
  ['glob', { pattern: '' }, 'pattern: '],
  ['glob', { pattern: '*'.repeat(501) }, 'pattern: ', '501 characters'],
  ['grep', { pattern: '' }, 'pattern: '],
  ['grep', { pattern: 'a'.repeat(1001) }, 'pattern: '],
  ['grep', { pattern: 'x', include: '' }, 'include: '],
  ['grep', { pattern: 'x', maxResults: 0 }, 'maxResults: '],
  ['grep', { pattern: 'x', maxResults: 51 }, 'maxResults: '],
  ['run', { command: '' }, 'command: '],
  ['run', { command: huge }, 'command: '],
  ['run', { command: 'echo \0' }, 'command: a command cannot contain NUL'],
  ['run', { command: 'ls', timeoutMs: 0 }, 'timeoutMs: '],
  ['run', { command: 'ls', timeoutMs: -5 }, 'timeoutMs: '],
  ['run', { command: 'ls', timeoutMs: 600_001 }, 'timeoutMs: '],
  ['run', { command: 'ls', timeoutMs: 1e21 }, 'timeoutMs: '],
  // Unknown names.
  [
    'read',
    { file: 'file.txt' },
    '"file" is not a parameter',
    'The parameters are: path, offset, limit',
  ],
  ['read', { pth: 'file.txt' }, '"pth" is not a parameter. Did you mean "path"?'],
  ['read', { Path: 'file.txt' }, 'Did you mean "path"?'],
  ['read', { path: 'file.txt', offest: 5 }, 'Did you mean "offset"?'],
  ['read', { path: 'file.txt', '': 1 }, '"" is not a parameter'],
  [
    'edit',
    { path: 'file.txt', old: 'a', new: 'b', replace_all: true },
    'Did you mean "replaceAll"?',
  ],
  [
    'edit',
    { path: 'file.txt', old_string: 'a', new_string: 'b' },
    '"old_string" is not a parameter',
  ],
  ['write', { path: 'a.txt', contents: 'x' }, 'Did you mean "content"?'],
  ['list', { dir: '.' }, '"dir" is not a parameter'],
  ['glob', { patern: '*' }, 'Did you mean "pattern"?'],
  ['grep', { pattern: 'x', 'ignore-case': true }, 'Did you mean "ignoreCase"?'],
  ['grep', { pattern: 'x', maxresults: 1 }, 'Did you mean "maxResults"?'],
  ['run', { command: 'ls', timeout: 5 }, '"timeout" is not a parameter'],
  ['run', { comand: 'ls' }, 'Did you mean "command"?'],
  ['run', { cmd: 'ls' }, '"cmd" is not a parameter'],
  ['run', { command: 'ls', cwd: '/' }, '"cwd" is not a parameter'],
  ['run', { command: 'ls', env: {} }, '"env" is not a parameter'],
  ['nested', { edits: [], mod: 1 }, 'Did you mean "mode"?'],
  ['foreign', { path: 'x', pth: 1 }, 'Did you mean "path"?'],
  ['read', { path: 'file.txt', ...many }, '9990 more names are unknown', 'is not a parameter'],
  ['read', { path: 'file.txt', ['k'.repeat(1_000_000)]: 1 }, '1000000 characters'],
  // Prototypes.
  ['read', parse('{"__proto__":{"path":"file.txt"}}'), 'path: expected a string'],
  [
    'read',
    parse('{"path":"file.txt","__proto__":{"polluted":1}}'),
    '"__proto__" is not a parameter',
  ],
  [
    'read',
    parse('{"path":"file.txt","constructor":{"prototype":{"polluted":1}}}'),
    '"constructor" is not a parameter',
  ],
  ['read', { path: 'file.txt', prototype: 1 }, '"prototype" is not a parameter'],
  ['read', { path: 'file.txt', toString: 1 }, '"toString" is not a parameter'],
  ['read', { path: 'file.txt', hasOwnProperty: 1 }, '"hasOwnProperty" is not a parameter'],
  ['write', parse('{"path":"a.txt","__proto__":{"content":"x"}}'), 'content: expected a string'],
  ['foreign', parse('{"path":"x","__proto__":{"polluted":1}}'), '"__proto__"'],
  // Deep and circular.
  ['read', deep(10), 'path: expected a string, given an object'],
  ['read', deep(100_000), 'path: expected a string, given an object'],
  ['read', itself, '"again" is not a parameter'],
  ['nested', { edits: deep(100_000) }, 'edits: expected an array'],
  ['nested', { edits: [1] }, 'edits[0]: expected an object, given the number 1'],
  [
    'nested',
    { edits: [{ file: 1, kind: 'insert', lines: [] }] },
    'edits[0].file: expected a string',
  ],
  [
    'nested',
    { edits: [{ file: 'a', kind: 'inset', lines: [] }] },
    'edits[0].kind: expected one of "insert", "delete"',
    'Did you mean "insert"?',
  ],
  [
    'nested',
    { edits: [{ file: 'a', kind: 'insert', lines: [1, 2.5] }] },
    'edits[0].lines[1]: expected a whole number',
  ],
  ['nested', { edits: Array.from({ length: 5000 }, () => 1) }, 'edits[0]: ', '4990 more problems'],
  [
    'nested',
    { edits: [], mode: true },
    'mode: expected a string or a number, given the boolean true',
  ],
  ['nested', { edits: [], shape: { type: 'triangle' } }, 'shape'],
  [
    'nested',
    { edits: [], shape: { type: 'circle' } },
    'shape.radius: expected a number, given nothing',
  ],
  ['foreign', { path: 5 }, 'path: expected a string, given the number 5'],
  ['foreign', { path: 'x', count: 1.5 }, 'count: expected a whole number or null'],
  [
    'foreign',
    { path: 'x', mode: 'fats' },
    'mode: expected one of "fast", "slow"',
    'Did you mean "fast"?',
  ],
  ['foreign', { path: 'x', items: [{ x: 1 }, {}] }, 'items[1].x: expected a number, given nothing'],
  ['foreign', [], 'arguments: expected'],
  ['foreign', null, 'arguments: expected'],
]

describe('bad arguments', () => {
  test.each(set.map((entry, index) => [index, entry[0], entry] as const))(
    '%i for %s are explained',
    async (_index, _tool, [tool, args, ...texts]) => {
      const before = runs
      const result = await bench.call(tool, args)
      expect(result).toMatchObject({ ok: false, error: 'bad-arguments' })
      const text = result.output
      expect(text).toContain(`The arguments of ${tool} are wrong`)
      for (const part of texts) expect(text).toContain(part)
      expect(text.length).toBeLessThan(5000)
      expect(runs).toBe(before)
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    },
  )

  test('are at least 100 sets', () => {
    expect(set.length).toBeGreaterThanOrEqual(100)
  })
})

test.each([
  ['raed', 'Did you mean "read"?'],
  ['Read', 'Did you mean "read"?'],
  ['bash', 'The tools are: edit, '],
  ['', 'There is no tool ""'],
  ['__proto__', 'There is no tool "__proto__"'],
  ['constructor', 'There is no tool "constructor"'],
  ['x'.repeat(1_000_000), 'There is no tool "xxx'],
])('the unknown tool %.20s is answered with the known ones', async (name, text) => {
  const result = await bench.call(name, {})
  expect(result).toMatchObject({ ok: false, error: 'unknown-tool' })
  expect(result.output).toContain(text)
  expect(result.output.length).toBeLessThan(1000)
})
