import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Observation, ObserveOptions } from '../../evidence/index.ts'
import { openSandbox, type Sandbox } from '../../sandbox/index.ts'
import { commandCheck } from '../checks/command-check.ts'
import { observeCheck } from './observe-check.ts'
import { type Identity, openIdentity } from './open-identity.ts'

let sandbox: Sandbox
let identity: Identity
let folder: string

beforeAll(async () => {
  sandbox = await openSandbox()
  identity = await openIdentity(sandbox.report.tier)
  folder = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-observe-')))
})

afterAll(async () => {
  await identity.close()
  await rm(folder, { recursive: true, force: true })
})

async function observe(
  files: Readonly<Record<string, string>>,
  command: readonly string[],
  options: ObserveOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Observation> {
  const workspace = await mkdtemp(join(folder, 'project-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, name)), { recursive: true })
    await writeFile(join(workspace, name), content)
  }
  const [program = '', ...args] = command
  const commands = sandbox.commands({ workspace, ...identity.shows })
  const observed = {
    identity,
    env,
    open: (all: Readonly<Record<string, string>>) =>
      commandCheck(program, args, { timeoutMs: 60_000, env: all, commands }),
  }
  return observeCheck(observed, { ...context, workspace }, options)
}

const context = {
  signal: new AbortController().signal,
  attempt: 1,
  spend: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  iteration: 1,
  work: async () =>
    ({ status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns: 1 }) as const,
  callTool: async () => ({ ok: true, output: null }),
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
})
