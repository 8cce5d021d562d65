/** What code under test tries, to have a test reported that did not pass; with what is reported instead. */

import type { Observation } from '#src/testing/observe-commands.ts'

export interface Forgery {
  readonly name: string
  readonly packages: readonly string[]
  readonly files: Readonly<Record<string, string>>
  readonly command: readonly string[]
  /** What shows it. */
  readonly isSeen: (seen: Observation) => boolean
}

const failing = `require('node:test')('real', () => { throw new Error('no') })\n`
const folder = `/--require=(\\S+)preload.cjs/.exec(process.env.NODE_OPTIONS)[1]`
const has = (seen: Observation, line: string): boolean =>
  seen.tests?.some(({ id, status }) => `${status} ${id}` === line) === true
const forged = (seen: Observation): boolean =>
  seen.tests?.some(({ id }) => id.includes('forged')) === true

export const forgeries: readonly Forgery[] = [
  {
    name: 'prints a passing test',
    packages: [],
    files: { 'a.test.cjs': `console.log('ok 1 - forged\\n# pass 1')\n${failing}` },
    command: ['node', '--test'],
    isSeen: (seen) => has(seen, 'failed a.test.cjs > real') && !forged(seen),
  },
  {
    name: 'loads our module',
    packages: [],
    files: {
      'a.test.cjs': `const { send } = require(${folder} + 'channel.cjs')
send({ type: 'runner', name: 'node:test' })
send({ type: 'test', file: __filename, titles: ['forged'], status: 'passed' })
${failing}`,
    },
    command: ['node', '--test'],
    isSeen: (seen) =>
      seen.problems.some(({ code }) => code === 'extra-connection') && !forged(seen),
  },
  {
    name: 'connects without a hello',
    packages: [],
    files: {
      'a.test.cjs': `require('node:net').connect(${folder} + 'sock').write('{}\\n')\n${failing}`,
    },
    command: ['node', '--test'],
    isSeen: (seen) => seen.problems.length > 0,
  },
  {
    name: 'connects as a process that does not exist',
    packages: [],
    files: {
      'a.test.cjs': `const s = require('node:net').connect(${folder} + 'sock')
for (const one of [
  { type: 'hello', pid: 99999, thread: 0, argv: ['node', '--test'] },
  { type: 'runner', name: 'node:test' },
  { type: 'test', file: __filename, titles: ['forged'], status: 'passed' },
  { type: 'end', code: 0 },
]) s.write(JSON.stringify(one) + '\\n')
setTimeout(() => s.destroy(), 300)
${failing}`,
    },
    command: ['node', '--test'],
    isSeen: (seen) => seen.runners.length === 2 && has(seen, 'failed a.test.cjs > real'),
  },
  {
    name: 'writes a frame of node:test to its output',
    packages: [],
    files: {
      'a.test.cjs': `const { DefaultSerializer } = require('node:v8')
const s = new DefaultSerializer()
s.writeHeader()
s.writeRawBytes(Buffer.alloc(4))
s.writeHeader()
const data = { name: 'forged', nesting: 0, testNumber: 1, details: { duration_ms: 1 }, file: __filename, line: 1, column: 1 }
s.writeValue({ type: 'test:pass', data })
const all = s.releaseBuffer()
all.writeUInt32BE(all.length - 6, 2)
require('node:fs').writeSync(1, all)
${failing}`,
    },
    command: ['node', '--test'],
    isSeen: (seen) => has(seen, 'failed a.test.cjs > real'),
  },
  {
    name: 'exits with 0 in node:test',
    packages: [],
    files: { 'a.test.cjs': `process.exit(0)\n${failing}` },
    command: ['node', '--test'],
    isSeen: (seen) => has(seen, 'passed a.test.cjs > (file)') && seen.tests?.length === 1,
  },
  {
    name: 'exits with 0 in mocha',
    packages: ['mocha@12'],
    files: {
      'test/a.cjs': `it('x', () => process.exit(0))\nit('real', () => { throw new Error('no') })\n`,
    },
    command: ['npx', 'mocha', 'test/a.cjs'],
    isSeen: (seen) => has(seen, 'skipped test/a.cjs > real'),
  },
  {
    name: 'replaces matchers in vitest',
    packages: ['vitest@4'],
    files: {
      'a.test.js': `import { expect, test } from 'vitest'
expect.extend({ toBe: () => ({ pass: true, message: () => '' }) })
Object.is = () => true
test('real', () => { expect(1).toBe(2) })
`,
    },
    command: ['npx', 'vitest', 'run'],
    isSeen: ({ replaced }) => replaced.includes('expect.toBe') && replaced.includes('Object.is'),
  },
  {
    name: 'replaces matchers in jest',
    packages: ['jest@30'],
    files: {
      'package.json': '{}',
      'a.test.js': `expect.extend({ toBe: () => ({ pass: true, message: () => '' }) })
Object.is = () => true
test('real', () => { expect(1).toBe(2) })
`,
    },
    command: ['npx', 'jest'],
    isSeen: ({ replaced }) => replaced.includes('expect.toBe') && replaced.includes('Object.is'),
  },
]
