// What tests are made of, outside of their folders.

import { describe, expect, test } from 'vitest'
import { lookAtSeals, saidOfSeals } from '../../testing/look-at-seals.ts'

const project = {
  'src/sum.js': 'export const sum = (a, b) => a - b',
  'src/rates.json': '{}',
  'expected/sums.json': '[3]',
  'cases/one.txt': '1',
  'support/check.js': 'export const same = () => {}',
  'routes/user.js': 'export const user = () => {}',
  'data/other.json': '{}',
  'docs/guide.txt': 'text',
  'check-lib.mjs': 'export const same = () => {}',
  'check.mjs': "import { same } from './check-lib.mjs'",
  'packages/test-utils/index.js': 'export const same = () => {}',
  'packages/core/index.js': 'export const core = () => {}',
  'package.json': JSON.stringify({
    scripts: { test: 'node check.mjs' },
    devDependencies: {
      'test-utils': 'file:packages/test-utils',
      core: 'file:packages/core',
    },
  }),
  'test/sum.test.js': `import { same } from '../support/check.js'
import { user } from '../routes/user.js'
readFileSync(new URL('../expected/sums.json', import.meta.url))
readFileSync(new URL('../src/rates.json', import.meta.url))
readdirSync(join(import.meta.dirname, '..', 'cases'))
readFileSync('docs/guide.txt')
fetch('https://localhost/data')
`,
}

const changing = async (path: keyof typeof project): Promise<readonly string[]> =>
  saidOfSeals(await lookAtSeals(project, { ...project, [path]: 'another' }))

describe('what tests and scripts of checks are made of', () => {
  test.each([
    'expected/sums.json',
    'cases/one.txt',
    'support/check.js',
    'check-lib.mjs',
    'packages/test-utils/index.js',
  ] as const)('%s is sealed', async (path) => {
    expect(await changing(path)).toHaveLength(1)
  })

  test.each([
    'src/sum.js',
    'src/rates.json',
    'routes/user.js',
    'data/other.json',
    'docs/guide.txt',
    'packages/core/index.js',
  ] as const)('%s is free', async (path) => {
    expect(await changing(path)).toEqual([])
  })
})
