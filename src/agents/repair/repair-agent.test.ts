import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Commands } from '../../engine/index.ts'
import type { AgentReport } from '../../loop/index.ts'
import { createPlainCommands } from '../../sandbox/index.ts'
import { createAgentContext, type TestAgentContext } from '../../testing/agent-context.ts'
import { type RepairAgentOptions, repairAgent } from './repair-agent.ts'

let workspace: string
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'loopwright-repair-test-'))
})
afterEach(() => rm(workspace, { recursive: true, force: true }))

const commands = createPlainCommands()
const nodeTest = [process.execPath, '--test'] as const

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(workspace, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

const read = (path: string): Promise<string> => readFile(join(workspace, path), 'utf8')

function work(
  more: Partial<RepairAgentOptions> = {},
  context: TestAgentContext = createAgentContext({ workspace }),
  prompt = 'Make the checks pass.',
): Promise<AgentReport> {
  const checks = [[...nodeTest]]
  return repairAgent({ checks, commands, timeMs: 120_000, ...more }).work({ prompt }, context)
}

const rangeSource = `export function inRange(value, low, high) {
  if (low > high) return inRange(value, high, low)
  return value >= low && value < high
}

export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high)
}
`
const rangeTests = `import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { clamp, inRange } from '../src/range.js'

describe('inRange', () => {
  it('holds its lower end', () => assert.equal(inRange(1, 1, 3), true))
  it('does not hold its upper end', () => assert.equal(inRange(3, 1, 3), false))
  it('holds what is between', () => assert.equal(inRange(2, 1, 3), true))
  it('takes its ends in any order', () => assert.equal(inRange(2, 3, 1), true))
  it('does not hold what is below', () => assert.equal(inRange(0, 1, 3), false))
})
test('clamp keeps what is inside', () => assert.equal(clamp(2, 1, 3), 2))
test('clamp raises', () => assert.equal(clamp(0, 1, 3), 1))
test('clamp lowers', async () => assert.equal(clamp(9, 1, 3), 3))
`
const moduleFile = '{ "type": "module" }\n'

const rangeProject = (source: string): Readonly<Record<string, string>> => ({
  'package.json': moduleFile,
  'src/range.js': source,
  'test/range.test.js': rangeTests,
})

describe('the repair agent', () => {
  test('fixes a defect in an ES module under node:test, and changes nothing else', async () => {
    await write(rangeProject(rangeSource.replace('value < high', 'value <= high')))
    const context = createAgentContext({ workspace })
    const report = await work({}, context)
    expect(report).toMatchObject({ status: 'done', usage: { tokens: 0, costMicros: 0 } })
    expect(await read('src/range.js')).toBe(rangeSource)
    expect(await read('test/range.test.js')).toBe(rangeTests)
    expect(report.text).toContain('src/range.js:3')
    expect(report.text).toContain('held back')
    const said = context.notes.map((note) => (note.type === 'said' ? note.text : ''))
    expect(said.join('\n')).toMatch(/1 of 8 tests fail.*\nSuspected first: src\/range.js/)
  })

  test('fixes TypeScript and keeps its types', async () => {
    const good = `interface Item { readonly price: number; readonly count: number }
export function total(items: readonly Item[]): number {
  let sum: number = Number(0n)
  for (const { price, count } of items) sum += (price as number) * count
  return sum
}
`
    await write({
      'package.json': moduleFile,
      'src/total.ts': good.replace('* count', '/ count'),
      'src/total.test.ts': `import { test } from 'node:test'
import assert from 'node:assert'
import { total } from './total.ts'
test('two', () => assert.equal(total([{ price: 2, count: 2 }] as never), 4))
test('none', (): void => assert.equal(total([]), 0))
test('one', () => assert.equal(total([{ price: 2, count: 1 }]), 2))
`,
      // Node 20 needs a loader for TypeScript: three lines are enough for a test.
      'check.mjs': `import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { spawnSync } from 'node:child_process'
const { transformSync } = createRequire(${JSON.stringify(resolve('package.json'))})('amaro')
for (const name of ['total', 'total.test']) {
  const text = readFileSync(\`src/\${name}.ts\`, 'utf8').replace("'./total.ts'", "'./total.mjs'")
  writeFileSync(\`src/.\${name}.mjs\`.replace('.total.mjs', 'total.mjs'), transformSync(text, { mode: 'strip-only' }).code)
}
process.exit(spawnSync(process.execPath, ['src/.total.test.mjs']).status)
`,
    })
    const report = await work({ checks: [[process.execPath, 'check.mjs']] })
    expect(report.text).toContain('/ count → ')
    expect(await read('src/total.ts')).toBe(good)
  })

  test("runs vitest tests one by one, with the project's own expect", async () => {
    await symlink(resolve('node_modules'), join(workspace, 'node_modules'))
    await write({
      'package.json': moduleFile,
      'src/words.js': `export const initials = (name) =>
  name.split(' ').map((word) => word.charAt(1).toUpperCase()).join('')
export const shout = (text) => text.toUpperCase() + '!'
`,
      'src/words.test.js': `import { beforeEach, describe, expect, test } from 'vitest'
import { initials, shout } from './words.js'
let name
beforeEach(() => { name = 'ada lovelace' })
describe('words', () => {
  test('initials', () => expect(initials(name)).toBe('AL'))
  test.each([['a b', 'AB'], ['x', 'X']])('of %s', (text, wanted) => expect([initials(text)]).toEqual([wanted]))
  test('shout', () => expect(shout('hi')).toMatch(/^HI!$/))
})
`,
    })
    const vitest = [
      process.execPath,
      resolve('node_modules/vitest/vitest.mjs'),
      'run',
      '--root',
      '.',
    ]
    const report = await work({ checks: [vitest] })
    expect(report.status).toBe('done')
    expect(await read('src/words.js')).toContain('charAt(0)')
  })

  test('interrupts edits that loop forever, also if the defect itself does', async () => {
    const good = `exports.digits = function (number) {
  var count = 1
  while (number >= 10) {
    number = Math.floor(number / 10)
    count++
  }
  return count
}
exports.isEven = function (number) { return number % 2 === 0 }
`
    await write({
      'digits.js': good.replace('number / 10)', 'number * 10)'),
      'test.js': `var assert = require('assert')
var d = require('./digits')
describe('digits', function () {
  it('one', function () { assert.equal(d.digits(7), 1) })
  it('two', function (done) { assert.equal(d.digits(42), 2); done() })
  it('three', function () { assert.equal(d.digits(420), 3) })
  it('even', function () { this.timeout(9); assert.ok(d.isEven(4)) })
})
`,
      'check.js': `var tests = []
global.describe = function (_, fill) { fill() }
global.it = function (_, body) { tests.push(body) }
setTimeout(function () {}, 0)
require('./test.js')
tests.forEach(function (body) { body.call({ timeout: function () {} }, function () {}) })
`,
    })
    const check = [process.execPath, 'check.js']
    const report = await work({ checks: [check], checkTimeoutMs: 10_000 })
    expect(report.status).toMatch(/^done/)
    expect(await read('digits.js')).toBe(good)
  })

  test('falls back to the whole command if tests cannot be run one by one', async () => {
    await write({
      'sum.js': 'exports.sum = function (a, b) { return a - b }\n',
      'check.sh': `node -e "process.exit(require('./sum').sum(2, 3) === 5 ? 0 : 1)"\n`,
    })
    const report = await work({ checks: [['sh', 'check.sh']] })
    expect(report.status).toBe('done-with-concerns')
    expect(report.text).toContain('No tests could be held back')
    expect(await read('sum.js')).toContain('return a + b')
  })
})

describe('the report of the repair agent', () => {
  test('claims nothing while the checks fail, whatever its own test runs show', async () => {
    await write(rangeProject(rangeSource.replace('value < high', 'value <= high')))
    const broken = rangeSource.replace('value < high', 'value <= high')
    const lying: Commands = {
      async run(command, signal) {
        const result = await commands.run(command, signal)
        return command.args[0] === '--test' ? { ...result, exitCode: 1 } : result
      },
    }
    const report = await work({ commands: lying, candidatesMax: 30 })
    expect(report.status).toBe('failed')
    expect(report.text).toContain('failed the checks')
    expect(await read('src/range.js')).toBe(broken)
  })

  test('says that there was nothing to do', async () => {
    await write(rangeProject(rangeSource))
    expect(await work()).toMatchObject({ status: 'done', text: expect.stringContaining('Nothing') })
  })

  test('says that no test was seen, if the checks pass without any', async () => {
    await write({ 'package.json': moduleFile, 'one.js': 'export const one = () => 1\n' })
    const report = await work()
    expect(report.status).toBe('done-with-concerns')
    expect(report.text).toMatch(/Nothing was changed\. No .* test was seen to run/)
  })

  test('says that it cannot fix it, when no edit is left', async () => {
    await write({
      'package.json': moduleFile,
      'one.js': 'export const one = () => 1\n',
      'one.test.js': `import test from 'node:test'
import assert from 'node:assert'
import { one } from './one.js'
test('impossible', () => assert.equal(one(), 'no edit makes this'.repeat(3)))
`,
    })
    const report = await work()
    expect(report.status).toBe('blocked')
    expect(report.text).toContain('Nothing was changed')
    expect(report.text).toMatch(/\. Use an agent with a model/)
    const context = createAgentContext({ workspace })
    expect((await work({}, context, report.text)).text).toBe(report.text)
    expect(context.notes.map((note) => JSON.stringify(note)).join()).not.toMatch(/edits tried/)
  })
})

describe('a search in several calls', () => {
  test('continues where the last report says, and ends as one call would', async () => {
    const broken = rangeSource.replace(
      'Math.min(Math.max(value, low), high)',
      'Math.max(Math.max(low, low), high)',
    )
    const files = rangeProject(
      broken
        .replace('Math.max(low, low)', 'Math.max(low, value)')
        .replace('value < high', 'low < high'),
    )
    await write(files)
    const whole = await work({ candidatesMax: 100_000, timeMs: 60_000 })
    const wholeText = await read('src/range.js')
    await write(files)
    const tried: number[] = []
    let prompt = 'Make the checks pass.'
    let report: AgentReport | undefined
    for (let call = 0; call < 40; call++) {
      report = await work({ candidatesMax: 400 }, createAgentContext({ workspace }), prompt)
      if (report.status !== 'failed') break
      prompt = `> ${report.text.replaceAll('\n', '\n> ')}`
      tried.push(Number(/ (\d+)\]/.exec(report.text)?.[1]))
    }
    expect(tried).toEqual(tried.toSorted((a, b) => a - b))
    expect(new Set(tried).size).toBe(tried.length)
    expect(report?.status).toBe(whole.status)
    expect(await read('src/range.js')).toBe(wholeText)
  })

  test('ends when the run is stopped, and leaves the files unchanged', async () => {
    const broken = rangeSource.replace('value < high', 'value <= high')
    await write(rangeProject(broken))
    const stop = new AbortController()
    let verdicts = 0
    const stopping: Commands = {
      async run(command, signal) {
        const isVerdict = command.args[0] === '--test'
        // The first call is for the original files, the second for an edit.
        if (!isVerdict || ++verdicts < 2) return commands.run(command, signal)
        expect(await read('src/range.js')).not.toBe(broken)
        stop.abort(new Error('stopped'))
        return commands.run(command, signal)
      },
    }
    const context = createAgentContext({ workspace, signal: stop.signal })
    await expect(work({ commands: stopping }, context)).rejects.toThrow('stopped')
    expect(verdicts).toBe(2)
    expect(await read('src/range.js')).toBe(broken)
  })
})

test('an agent without checks is refused at once', () => {
  expect(() => repairAgent({ checks: [], commands })).toThrow('needs checks')
})
