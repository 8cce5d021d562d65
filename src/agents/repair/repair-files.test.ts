import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Commands } from '../../engine/index.ts'
import type { AgentReport } from '../../loop/index.ts'
import { createPlainCommands } from '../../sandbox/index.ts'
import { createAgentContext } from '../../testing/agent-context.ts'
import { findFiles } from './find-files.ts'
import { repairAgent } from './repair-agent.ts'
import { replaceText } from './run-checks.ts'

let workspace: string
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'loopwright-repair-files-'))
})
afterEach(() => rm(workspace, { recursive: true, force: true }))

const commands = createPlainCommands()
const moduleFile = '{ "type": "module" }\n'

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(workspace, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

const read = (path: string): Promise<string> => readFile(join(workspace, path), 'utf8')

function work(used: Commands = commands): Promise<AgentReport> {
  const checks = [[process.execPath, '--test']]
  const agent = repairAgent({ checks, commands: used, timeMs: 120_000 })
  return agent.work({ prompt: 'Go.' }, createAgentContext({ workspace }))
}

test('files are changed by tests and edits in a copy only', async () => {
  await write({
    'package.json': moduleFile,
    'kept.txt': 'kept',
    'clean.js': `import { rmSync, writeFileSync } from 'node:fs'
export function clean(name) {
  writeFileSync('made.txt', name)
  if (name !== 'kept.txt') return 'kept'
  rmSync(name, { force: true })
  return 'removed'
}
`,
    'clean.test.js': `import test from 'node:test'
import assert from 'node:assert'
import { clean } from './clean.js'
test('keeps', () => assert.equal(clean('kept.txt'), 'kept'))
test('removes others', () => assert.equal(clean('made.txt'), 'removed'))
`,
  })
  const checkElsewhere: Commands = {
    // The checks are the project's own and may do anything; their result does not matter here.
    async run(command, signal) {
      if (command.args[0] !== '--test') return commands.run(command, signal)
      const isMended = (await read('clean.js')).includes("name === 'kept.txt'")
      const result = { durationMs: 1, outputBytes: 0, stdout: '', stderr: '' }
      return { ...result, ended: 'exited', exitCode: isMended ? 0 : 1 }
    },
  }
  expect(await work(checkElsewhere)).toMatchObject({
    status: expect.stringMatching(/^done/),
  })
  expect(await read('kept.txt')).toBe('kept')
  await expect(read('made.txt')).rejects.toThrow('ENOENT')
})

test('a file that is a link is neither searched nor changed', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'loopwright-outside-'))
  try {
    await writeFile(
      join(outside, 'range.js'),
      'export const isLow = (value, high) => value <= high\n',
    )
    await write({
      'package.json': moduleFile,
      'test/range.test.js': `import test from 'node:test'
import assert from 'node:assert'
import { isLow } from '../src/range.js'
test('low', () => assert.equal(isLow(3, 3), false))
`,
    })
    await mkdir(join(workspace, 'src'))
    await symlink(join(outside, 'range.js'), join(workspace, 'src/range.js'))
    const report = await work()
    expect(report.status).toBe('blocked')
    expect(await readFile(join(outside, 'range.js'), 'utf8')).toContain('value <= high')
  } finally {
    await rm(outside, { recursive: true, force: true })
  }
})

test('a pipe instead of package.json or of a test does not block', async () => {
  await write({ 'sum.js': 'export const sum = (a, b) => a - b\n' })
  execFileSync(
    'mkfifo',
    ['package.json', 'sum.test.js'].map((name) => join(workspace, name)),
  )
  const agent = repairAgent({ checks: [['true']], commands, timeMs: 20_000 })
  const { status } = await agent.work({ prompt: 'Go.' }, createAgentContext({ workspace }))
  expect(status).toBe('done-with-concerns')
})

test('a file that has become a pipe does not block when an edit is applied', async () => {
  execFileSync('mkfifo', [join(workspace, 'sum.js')])
  await expect(replaceText(workspace, 'sum.js', 'a - b', 'a + b')).rejects.toThrow(
    'is not what it was',
  )
})

test('an aborted search does not continue to look for files', async () => {
  await write({ 'sum.js': 'export const sum = (a, b) => a - b\n' })
  const over = AbortSignal.abort(new Error('over'))
  await expect(findFiles(workspace, over)).rejects.toThrow('over')
})
