import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Observation, ObserveOptions } from '../../../evidence/index.ts'
import { type CommandObserver, observeCommands } from '../../../testing/observe-commands.ts'

let observer: CommandObserver
let folder: string

beforeAll(async () => {
  observer = await observeCommands()
  folder = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-observe-')))
})

afterAll(async () => {
  await observer.close()
  await rm(folder, { recursive: true, force: true })
})

async function observe(
  files: Readonly<Record<string, string>>,
  command: readonly string[],
  options: ObserveOptions & { readonly junit?: string } = {},
): Promise<Observation> {
  const workspace = await mkdtemp(join(folder, 'project-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, name)), { recursive: true })
    await writeFile(join(workspace, name), content)
  }
  return observer.observe(workspace, command, options)
}

const lines = ({ tests }: Observation): readonly string[] | undefined =>
  tests?.map(({ id, status }) => `${status} ${id}`).toSorted()

const nodeProject = {
  'package.json': '{"type":"module","scripts":{"test":"NODE_OPTIONS= node --test"}}',
  'test/a.test.js': `
    import { describe, it, test } from 'node:test'
    import assert from 'node:assert'
    describe('s', () => {
      it('x', () => {})
      it('y', () => assert.equal(1, 2))
      it.skip('k', () => {})
      describe('t', () => it('z', () => {}))
    })
    test('same', () => {})
    test('same', () => {})`,
  'test/broken.test.js': `import './missing.js'`,
}

const nodeTests = [
  'failed test/a.test.js > s > y',
  'failed test/broken.test.js > (file)',
  'passed test/a.test.js > s > t > z',
  'passed test/a.test.js > s > x',
  'passed test/a.test.js > same',
  'passed test/a.test.js > same #2',
  'skipped test/a.test.js > s > k',
]

/** Prints what importing a module of the project creates, and whether the standard library is compiled. */
const pythonProgram = `
import glob, importlib.util, json, os
import shop
print(glob.glob('**/*.pyc', recursive=True), os.path.exists(importlib.util.cache_from_source(json.__file__)))`

describe('an observed check', () => {
  test('reports the tests of node:test, also where a script sets NODE_OPTIONS', async () => {
    const seen = await observe(nodeProject, ['npm', 'test'])
    expect(lines(seen)).toEqual(nodeTests)
    expect(seen.runners).toEqual([{ name: 'node:test', exitCode: 1 }])
    expect(seen.problems).toEqual([])
    expect(seen.result).toMatchObject({ status: 'not-met', exitCode: 1 })
    expect(seen.tests?.find(({ id }) => id.endsWith(' > y'))?.message).toContain('1 == 2')
  })

  test('has no tests where no runner reported', async () => {
    const seen = await observe({}, ['true'])
    expect(seen).toMatchObject({ result: { status: 'met' }, runners: [], problems: [] })
    expect(seen.tests).toBeUndefined()
  })

  test('reports a connection that code of the repository makes', async () => {
    const seen = await observe(
      {
        'forge.test.cjs': `
          const path = /--require=(\\S+)preload.cjs/.exec(process.env.NODE_OPTIONS)[1] + 'channel.cjs'
          const { send } = require(path)
          send({ type: 'runner', name: 'node:test' })
          send({ type: 'test', file: __filename, titles: ['forged'], status: 'passed' })
          send({ type: 'end', code: 0 })
          require('node:test')('real', () => { throw new Error('no') })`,
      },
      ['node', '--test'],
    )
    expect(lines(seen)).toEqual(['failed forge.test.cjs > real'])
    expect(seen.problems.map(({ code }) => code)).toEqual(['extra-connection'])
  })

  test('is complete although a path or a title is very long', async () => {
    const seen = await observe(
      {
        'long.test.cjs': `
          const { existsSync } = require('node:fs')
          const test = require('node:test')
          test('looks', () => existsSync(__dirname + '/' + 'a'.repeat(70_000)))
          test('b'.repeat(70_000), () => {})
          test('last', () => { throw new Error('no') })`,
      },
      ['node', '--test'],
    )
    expect(seen.problems).toEqual([])
    expect(lines(seen)?.map((line) => line.slice(0, 40))).toEqual([
      'failed long.test.cjs > last',
      `passed long.test.cjs > ${'b'.repeat(17)}`,
      'passed long.test.cjs > looks',
    ])
  })

  test('runs only the wanted tests where the runner can', async () => {
    const all = await observe(nodeProject, ['npm', 'test'])
    const only = all.tests?.filter(({ id }) => id.endsWith(' > y')) ?? []
    const some = await observe(nodeProject, ['npm', 'test'], { only })
    expect(lines(some)).toContain('failed test/a.test.js > s > y')
    expect(lines(some)).not.toContain('failed test/broken.test.js > (file)')
  })

  test('runs the whole check where the wanted tests are not reported', async () => {
    const missing = { id: 'gone.js > x', file: 'gone.js', titles: ['x'], status: 'passed' } as const
    const seen = await observe(nodeProject, ['npm', 'test'], { only: [missing] })
    expect(lines(seen)).toEqual(nodeTests)
  })

  test('passes no option to jest that its version does not know', async () => {
    const jest = (version: string) => ({
      'node_modules/jest/package.json': JSON.stringify({ version }),
      'node_modules/jest/bin/jest.js': 'console.log(process.argv.slice(2).join(" "))',
    })
    const command = ['node', 'node_modules/jest/bin/jest.js']
    const old = await observe(jest('22.4.4'), command)
    expect(old.result.output).toMatch(/^--reporters=default --reporters=\S+\s*$/)
    const recent = await observe(jest('29.7.0'), command)
    expect(recent.result.output).toContain('--workerIdleMemoryLimit')
  })

  test('leaves nothing compiled by Python in the tree, and uses what its libraries have', async () => {
    const seen = await observe({ 'shop.py': '', 'run.py': pythonProgram }, ['python3', 'run.py'])
    expect(seen.result.output.trim()).toBe('[] True')
  })

  test('has other variables, temporary folder and file times in the other environment', async () => {
    const project = {
      'where.cjs': `
        const fs = require('node:fs'), os = require('node:os')
        fs.writeFileSync(os.tmpdir() + '/x', '')
        const isOld = fs.statSync(__filename).mtimeMs < Date.now() - 300 * 86400000
        console.log(os.tmpdir(), process.env.USER, isOld)`,
    }
    const command = ['node', 'where.cjs']
    const usual = await observe(project, command)
    const other = await observe(project, command, { environment: 'other' })
    expect(usual.result).toMatchObject({ status: 'met', output: '/tmp undefined false' })
    expect(other.result).toMatchObject({ status: 'met', output: '/tmp/session/dana dana true' })
  })

  test('reports functions that code of the repository replaced and did not restore', async () => {
    const seen = await observe(
      {
        'a.test.cjs': `
          const assert = require('node:assert')
          const real = globalThis.setTimeout
          globalThis.setTimeout = () => {}
          globalThis.setTimeout = real
          assert.equal = () => {}
          Object.is = () => true
          require('node:test')('x', () => assert.equal(1, 2))`,
      },
      ['node', '--test'],
    )
    expect(lines(seen)).toEqual(['passed a.test.cjs > x'])
    expect(seen.replaced).toEqual(['Object.is', 'assert.equal'])
  })

  test('reports functions with which tests compute what they expect', async () => {
    const seen = await observe(
      {
        'a.test.cjs': `
          Array.prototype.reduce = () => 0
          Math.abs = () => 0
          Object.defineProperty(Array.prototype, 'toJSON', { value: () => 0, configurable: true })
          Math.random = () => 0
          require('node:test')('x', () => {})`,
      },
      ['node', '--test'],
    )
    expect(seen.replaced).toEqual(['Array.prototype.reduce', 'Array.prototype.toJSON', 'Math.abs'])
  })

  test('reports files of the tree that take the place of modules of Python and installed ones', async () => {
    const project = {
      'test_a.py':
        'import calendar, own, part.json, unittest\nclass A(unittest.TestCase):\n    def test_x(self): pass\n',
      'calendar.py': '',
      'own.py': '',
      'part/__init__.py': '',
      'part/json.py': '',
    }
    const { replaced } = await observe(project, ['python3', '-m', 'unittest'])
    expect(replaced).toEqual(['the module calendar, by a file of the same name'])
  })

  test('reports which files of the tree its code opens or looks for, and where that code is', async () => {
    const project = {
      'package.json': '{"type":"module"}',
      'test/a.test.js':
        "import { test } from 'node:test'\nimport '../src/a.js'\ntest('x', () => {})",
      'src/a.js': `
        import { existsSync, readFileSync } from 'node:fs'
        import { readFile } from 'node:fs/promises'
        import { Worker } from 'node:worker_threads'
        readFileSync('src/sync.txt')
        await readFile('src/promise.txt')
        existsSync(new URL('../test', import.meta.url))
        new Function('read', "read('src/function.txt')")(readFileSync)
        new Worker("require('node:fs').readFileSync('src/worker.txt')", { eval: true })`,
      ...Object.fromEntries(
        ['sync', 'promise', 'function', 'worker'].map((name) => [`src/${name}.txt`, name]),
      ),
    }
    const { looked = [] } = await observe(project, ['node', '--test'])
    expect(looked.map(({ by, at }) => `${by} ${at}`).toSorted()).toEqual([
      '(eval) src/worker.txt',
      'src/a.js src/function.txt',
      'src/a.js src/promise.txt',
      'src/a.js src/sync.txt',
      'src/a.js test',
    ])
  })

  test('reads the tests of other runners from JUnit XML that the run wrote', async () => {
    const xml = `<?xml version="1.0"?><testsuites><testsuite name="s" file="t/a.x">
      <testcase classname="Sums" name="adds &quot;two&quot;"/>
      <testcase classname="Sums" name="fails"><failure message="1 &lt; 2"/></testcase>
      <testcase name="later"><skipped/></testcase></testsuite></testsuites>`
    const files = { 'report.xml': xml, 'stale.xml': xml }
    const seen = await observe(files, ['/bin/sh', '-c', 'cp report.xml new.xml; exit 3'], {
      junit: 'new.xml',
    })
    expect(lines(seen)).toEqual([
      'failed t/a.x > Sums > fails',
      'passed t/a.x > Sums > adds "two"',
      'skipped t/a.x > later',
    ])
    expect(seen.result).toMatchObject({ status: 'not-met', exitCode: 3 })
    expect(seen.tests?.find(({ status }) => status === 'failed')?.message).toBe('1 < 2')
    const none = await observe(files, ['/bin/sh', '-c', 'touch -d 2001-01-01 stale.xml'], {
      junit: 'stale.xml',
    })
    expect(none.tests).toBeUndefined()
  })

  test('reports one runner where a test starts another', async () => {
    const seen = await observe(
      {
        'inner/b.cjs': `require('node:test')('inner', () => { throw new Error('no') })`,
        'a.test.cjs': `
          const { spawnSync } = require('node:child_process')
          require('node:test')('outer', () => {
            const env = { ...process.env }
            delete env.NODE_TEST_CONTEXT
            if (spawnSync('node', ['inner/b.cjs'], { env }).status !== 1) throw new Error('passed')
          })`,
      },
      ['node', '--test'],
    )
    expect(lines(seen)).toEqual(['passed a.test.cjs > outer'])
    expect(seen.problems).toEqual([])
  })
})
