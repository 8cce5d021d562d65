import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Check, CheckContext } from '../../engine/index.ts'
import { openSandbox } from '../../sandbox/index.ts'
import { openChecks } from './open-checks.ts'
import { openTestReports, type TestReports } from './test-reports.ts'

let folder: string
let reports: TestReports
let open: (command: readonly string[]) => Check

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-reports-')))
  const sandbox = await openSandbox()
  const { tier, limits } = sandbox.report
  const opened = {
    summary: { tier, limits, attended: false },
    commandsFor: (_command: readonly string[], shows: object = {}) =>
      sandbox.commands({ workspace: folder, ...shows }),
  }
  reports = openTestReports({ sandbox: opened, path: process.env['PATH'], layerEnv: () => ({}) })
  open = (command) => {
    const unit = {
      type: 'command',
      command,
      timeoutMs: 60_000,
      env: {},
      existing: 'fix',
      outputs: [],
    } as const
    const place = { sandbox: opened, surroundings: () => '' }
    return openChecks({ test: unit }, place, reports)['test'] as Check
  }
})

afterAll(async () => {
  await reports.close()
  await rm(folder, { recursive: true, force: true })
})

const checkContext = (workspace: string): CheckContext => ({
  workspace,
  iteration: 1,
  attempt: 1,
  signal: new AbortController().signal,
  spend: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  work: async () => ({ status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns: 1 }),
  callTool: async () => ({ ok: true, output: null }),
})

async function write(name: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), content)
}

test('a check during an iteration reports the failing tests by id, and how many pass', async () => {
  await write(
    'a.test.mjs',
    `import { test } from 'node:test'
     import assert from 'node:assert'
     test('good', () => {})
     test('bad', () => assert.equal(1, 2))`,
  )
  const result = await open(['node', '--test'])(checkContext(folder))
  expect(result).toMatchObject({
    status: 'not-met',
    counts: { passed: 1, failed: 1, skipped: 0 },
    failing: ['a.test.mjs > bad'],
  })
})

test('a command without a test runner has only its result', async () => {
  const result = await open(['/bin/sh', '-c', 'exit 1'])(checkContext(folder))
  expect(result).toMatchObject({ status: 'not-met', exitCode: 1 })
  expect(result.counts).toBeUndefined()
})

test('of two at the same time, one has only the result of its command', async () => {
  const check = open(['node', '--test'])
  const results = await Promise.all([check(checkContext(folder)), check(checkContext(folder))])
  expect(results.map(({ status }) => status)).toEqual(['not-met', 'not-met'])
  expect(results.filter(({ failing }) => failing !== undefined)).toHaveLength(1)
})
