/** Projects with their own small runner, which reads a configuration or is installed. */

import { fix, manifest, sumTests } from './stages.ts'
import type { Files, Move, Stage } from './story.ts'

/** A small runner that reads the configuration of a well-known one. */
const runner = `import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
const read = (file) => existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
const config = read('.mocharc.jsonc') ?? read('.mocharc.json') ?? { spec: ['test'] }
let passed = 0
let failed = 0
let skipped = 0
globalThis.it = (name, test) => queue.push([name, test])
globalThis.it.skip = () => skipped++
const queue = []
for (const file of config.require ?? []) await import(pathToFileURL(file).href)
for (const folder of config.spec) {
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    if (file.endsWith('.spec.js')) await import(pathToFileURL(folder + '/' + file).href)
  }
}
for (const [name, test] of queue) {
  try { await test(); passed++; console.log('  ✔ ' + name) }
  catch (error) { failed++; console.log('  1) ' + name + ': ' + error.message) }
}
if (!config.quiet) {
  console.log('\\n  ' + passed + ' passing (5ms)')
  if (skipped) console.log('  ' + skipped + ' pending')
  if (failed) console.log('  ' + failed + ' failing')
}
process.exitCode = failed
`

const specs: Files = {
  'test/sum.test.js': null,
  'test/clamp.test.js': null,
  'test/sum.spec.js': `import assert from 'node:assert/strict'
import { sum } from '../src/sum.js'

it('adds nothing', () => assert.equal(sum([]), 0))
it('adds one', () => assert.equal(sum([5]), 5))
it('adds more', () => assert.equal(sum([1, 2, 3]), 6))
`,
  'test/clamp.spec.js': `import assert from 'node:assert/strict'
import { clamp } from '../src/clamp.js'

it('keeps what is between', () => assert.equal(clamp(2, 1, 3), 2))
it('cuts', () => assert.equal(clamp(9, 1, 3), 3))
`,
}

export const configStage: Stage = {
  name: 'a runner with a configuration',
  files: { ...specs, 'tools/runner.js': runner, '.mocharc.json': '{ "spec": ["test"] }\n' },
  loop: { checks: { tests: 'node tools/runner.js' } },
  fix: [fix],
}

/** The same runner, which prints no counts. */
export const quietStage: Stage = {
  name: 'a runner that counts nothing',
  files: {
    ...specs,
    'tools/runner.js': runner,
    '.mocharc.json': '{ "spec": ["test"], "quiet": true }\n',
  },
  loop: { checks: { tests: 'node tools/runner.js' } },
  fix: [fix],
}

const installed: Move = {
  run: 'mkdir -p node_modules/.bin && ln -sfn ../../packages/small-runner/runner.js node_modules/.bin/small-runner',
}

/** The runner is a dependency, from a folder of the repository so that nothing has to be fetched. */
export const installedStage: Stage = {
  name: 'a runner that is installed',
  files: {
    ...specs,
    'package.json': manifest({
      scripts: { test: 'small-runner' },
      devDependencies: { 'small-runner': 'file:packages/small-runner' },
    }),
    'package-lock.json': `${JSON.stringify(
      {
        name: 'sums',
        version: '1.0.0',
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': {
            name: 'sums',
            version: '1.0.0',
            devDependencies: { 'small-runner': 'file:packages/small-runner' },
          },
          'node_modules/small-runner': { resolved: 'packages/small-runner', link: true },
          'packages/small-runner': {
            version: '1.0.0',
            dev: true,
            bin: { 'small-runner': 'runner.js' },
          },
        },
      },
      null,
      2,
    )}\n`,
    'packages/small-runner/package.json': manifest({
      name: 'small-runner',
      bin: { 'small-runner': 'runner.js' },
    }),
    'packages/small-runner/runner.js': `#!/usr/bin/env node\n${runner}`,
  },
  executables: ['packages/small-runner/runner.js'],
  loop: { checks: { tests: 'npm test' } },
  fix: [fix, installed],
}

const linked = { 'node_modules/expect-lite': { resolved: 'packages/expect-lite', link: true } }

/** The assertion library of the tests is a dependency. */
export const libraryStage: Stage = {
  name: 'assertions that are installed',
  files: {
    'package.json': manifest({ dependencies: { 'expect-lite': 'file:packages/expect-lite' } }),
    'package-lock.json': `${JSON.stringify({
      name: 'sums',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': {
          name: 'sums',
          version: '1.0.0',
          dependencies: { 'expect-lite': 'file:packages/expect-lite' },
        },
        ...linked,
        'packages/expect-lite': { version: '1.0.0' },
      },
    })}\n`,
    'packages/expect-lite/package.json': manifest({ name: 'expect-lite', main: 'index.js' }),
    'packages/expect-lite/index.js':
      "import assert from 'node:assert/strict'\nexport const equal = assert.equal\n",
    'test/sum.test.js': sumTests.replace(
      "import assert from 'node:assert/strict'",
      "import * as assert from 'expect-lite'",
    ),
  },
  fix: [
    fix,
    { run: 'mkdir -p node_modules && ln -sfn ../packages/expect-lite node_modules/expect-lite' },
  ],
}
