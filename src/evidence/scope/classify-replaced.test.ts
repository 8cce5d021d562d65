/** JavaScript that becomes TypeScript, or the reverse. */

import { expect, test } from 'vitest'
import { type ClassifyOptions, classifyTrees, classLines } from '../../testing/classify-trees.ts'

const library = {
  'package.json': '{"name":"x","exports":"./src/index.js","scripts":{"test":"node --test"}}',
  'src/index.js': "export * from './sum.js'",
  'src/sum.js': 'a - b',
  'src/check.js': 'export const check = 1',
  'src/plugin.js': 'nothing imports this',
  'test/sum.test.js': "import { sum } from '../src/sum.js'\nimport '../src/check.js'",
}
const noEntries = {
  'package.json': '{"name":"x","scripts":{"test":"node --test"}}',
  'src/sum.js': 'a - b',
  'src/expected.json': '{}',
  'src/sum-test.js': "import './sum.js'\nimport x from './expected.json'",
}

type Files = Readonly<Record<string, string | null>>
type Row = readonly [string, Record<string, string>, Files, readonly string[], ClassifyOptions?]

const rows: readonly Row[] = [
  [
    'is work where the removed file was',
    library,
    { 'src/sum.js': null, 'src/sum.ts': 'y', 'src/plugin.js': null, 'src/plugin.tsx': 'y' },
    ['work src/plugin.js', 'work src/plugin.tsx', 'work src/sum.js', 'work src/sum.ts'],
  ],
  [
    'is asked about where only tests refer to the removed file',
    library,
    { 'src/check.js': null, 'src/check.ts': 'y' },
    ['other src/check.js', 'other src/check.ts'],
  ],
  [
    'is asked about in place of a test or of data, and in another folder',
    noEntries,
    {
      'src/sum-test.js': null,
      'src/sum-test.ts': 'y',
      'src/expected.json': null,
      'src/expected.ts': 'y',
      'src/sum.js': null,
      'src/sum/index.ts': 'y',
    },
    [
      'other src/expected.json',
      'other src/expected.ts',
      'other src/sum-test.js',
      'new-test src/sum-test.ts',
      'work src/sum.js',
      'other src/sum/index.ts',
    ],
  ],
  [
    'is asked about where the loop file names the scope without it',
    library,
    { 'src/sum.js': null, 'src/sum.ts': 'y' },
    ['work src/sum.js', 'other src/sum.ts'],
    { globs: ['src/**/*.js'] },
  ],
]

test.each(rows.map((row) => ({ name: row[0], row })))('$name', async ({ row }) => {
  const [, before, changes, expected, options] = row
  expect(classLines(await classifyTrees(before, changes, options))).toEqual(expected)
})
