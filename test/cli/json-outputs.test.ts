/**
 * What every command prints with --json is what the published schemas say. The commands are those that the
 * program has: one without a schema, or one that no story here uses, fails.
 */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Command } from 'commander'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { commandFileName, commandOutputs } from '../../src/protocol/cli/index.ts'
import { afterFile } from '../after.ts'
import { environment } from '../e2e/loop-fixture.ts'
import { type Checkout, repository } from '../e2e/worktree-fixture.ts'
import { share } from '../share.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'
import { storeAndUse } from './stored-uses.ts'
import { planTuning } from './tune-uses.ts'

/** They print text for a person or a shell, with any options. */
const textOnly: ReadonlySet<string> = new Set(['help', 'completion', 'complete', 'demo'])

const nameOf = (command: Command): string =>
  command.parent === null ? '' : `${nameOf(command.parent)} ${command.name()}`.trim()

const withInner = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withInner),
]

/** Commands that only group others do nothing by themselves, unless listed. */
const names = withInner(await createProgram())
  .filter((one) => one.commands.length === 0 || nameOf(one) in commandOutputs)
  .map(nameOf)
  .filter((name) => !textOnly.has(name))

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)

const schemas = new Map<string, ValidateFunction>()
function schemaOf(name: string): ValidateFunction {
  const known = schemas.get(name)
  if (known !== undefined) return known
  const path = join(import.meta.dirname, '../../schemas', commandFileName(name))
  const made = ajv.compile(JSON.parse(readFileSync(path, 'utf8')) as object)
  schemas.set(name, made)
  return made
}

const printed = new Map<string, Ended[]>()

/** The longest beginning of the arguments that names a command. */
const commandIn = (args: readonly string[]): string =>
  [3, 2, 1].map((count) => args.slice(0, count).join(' ')).find((name) => names.includes(name)) ??
  ''

async function use(
  at: Checkout,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const cwd = ['init', 'catalog'].includes(args[0] ?? 'init') ? at.work : process.cwd()
  const ended = await warmLoopctl(['--json', ...args], { ...environment(at.state), ...env }, cwd)
  const name = commandIn(args)
  printed.set(name, [...(printed.get(name) ?? []), ended])
  return ended
}

/** Two iterations, in a project that has a test. */
const loop = `
prompt: Count.
checks: { two: 'test "$(wc -l < log.txt)" -ge 2', test: node --test }
agent:
  script:
    - - { call: run, args: { command: echo x >> log.txt } }
      - { say: Counted. }
`

/** One iteration, in the same project, without its tests. */
const short = loop.replace(', test: node --test', '')

const project = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'sum.js': 'export const sum = (a, b) => a + b\n',
  'sum.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from './sum.js'
test('two and three', () => assert.equal(sum(2, 3), 5))
`,
}

/** Asks in each iteration. */
const asking = (work: string): string => `export default {
  workspace: '${work}',
  limits: { iterations: 5 },
  loop: {
    name: 'asking',
    createContext: () => null,
    async iterate(_context, it) {
      return (await it.ask('tone', { text: 'Which?', options: ['a', 'b'], default: 'a' })).answer
    },
    extractProgress: (text) => text,
  },
}
`

/** A program of this name before all others, which does this. */
function withProgram(at: Checkout, name: string, script: string): NodeJS.ProcessEnv {
  const bin = join(at.state, '..', 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, name), 0o755)
  return { PATH: [bin, process.env['PATH'] ?? ''].join(delimiter) }
}

/** What it would fetch is there at once. */
const npm = `mkdir -p node_modules/.bin
printf '#!/bin/sh\\necho 1.0.0\\n' > node_modules/.bin/claude
chmod 755 node_modules/.bin/claude`

const gh = 'echo https://example.com/owner/shop/pull/1'

beforeAll(async () => {
  const at = repository(loop, project)
  await tellOfRuns(at)
  await tellOfCertificates(at)
  await tellOfTheMachine(at)
  await tellOfTheDaemon(repository(short, project))
}, 180_000)

async function tellOfRuns(at: Checkout): Promise<void> {
  await use(at, ['run', at.file, '--trust', '--dry-run'])
  await planTuning(at, (args) => use(at, args))
  await use(at, ['prompt', at.file])
  await use(at, ['run', at.file, '--trust', '--name', 'first'])
  await use(at, ['list'])
  await use(at, ['list', '--attention'])
  await use(at, ['list', '--loops'])
  const { stdout } = await use(at, ['inspect', 'first'])
  await use(at, ['tail', 'first'])
  await use(at, ['report', 'first', '--html', '--out', join(at.state, 'first.html')])
  await use(at, ['show', 'first', '1'])
  await use(at, ['policy', 'explain', 'first'])
  await use(at, ['show', 'first', '1', '--prompt'])
  await use(at, ['diff', 'first'])
  await use(at, ['output', 'first'])
  await use(at, ['analyze', 'first'])
  await use(at, ['export', 'first', '--no-files'])
  const { tree } = (JSON.parse(stdout) as { readonly state: { readonly tree: string } }).state
  await use(at, ['files', tree, join(at.state, '..', 'files')])
  await use(at, ['fork', 'first', '--at', '1', '--name', 'forked'])
  await use(at, ['replay', 'first', '--name', 'again'])
  at.git('init', '-q', '--bare', join(at.state, '..', 'owner', 'shop.git'))
  at.git('remote', 'add', 'origin', join(at.state, '..', 'owner', 'shop.git'))
  await use(at, ['create-pr', 'first'], withProgram(at, 'gh', gh))
  await use(at, ['merge', 'first'])
  at.git('branch', 'release', 'main')
  await use(at, ['land', 'first', '--onto', 'release'])
  await use(at, ['actions', 'first'])
  await use(at, ['actions', '--facts'])
  await tellOfStored(at)
  await use(at, ['worktrees'])
  await use(at, ['worktrees', 'clean', '--dry-run'])
  await use(at, ['worktree-rm', 'first', '--force', '--yes'])
  await use(at, ['scrap', 'forked', '--yes'])
  await use(at, ['rm', '--yes', 'forked', 'again'])
  await use(at, ['gc'])
  await use(at, ['forget'])
  await tellOfQuestions(at)
}

/** What loops remember, and their levels. */
const tellOfStored = (at: Checkout): Promise<void> => storeAndUse(at, (args) => use(at, args))

/** A run that waits for a person accepts decisions. */
async function tellOfQuestions(at: Checkout): Promise<void> {
  const file = join(at.state, '..', 'asking.mjs')
  const work = join(at.state, '..', 'elsewhere')
  mkdirSync(work)
  writeFileSync(file, asking(work))
  const asks = (iteration: number): Promise<void> => until(at, `"${iteration}/ask:tone#1"`)
  const running = use(at, ['run', file, '--trust', '--in-place', '--name', 'asking'])
  await asks(1)
  await use(at, ['inbox'])
  await use(at, ['tell', 'asking', 'Be brief.'])
  await use(at, ['answer', 'asking', 'tone', 'b'])
  await asks(2)
  await use(at, ['limits', 'asking'])
  await use(at, ['limits', 'asking', '--iterations', '9', '--reason', 'more time'])
  await use(at, ['pause', 'asking'])
  await running
  const resumed = use(at, ['resume', 'asking'])
  // Not before it is driven: a decision on a run at rest ends it at once, and resume has nothing to print.
  await until(at, '"status":"waiting"')
  await use(at, ['stop', 'asking'])
  await use(at, ['cancel', 'asking'])
  await resumed
}

/** Until the output about the run that asks contains these words. */
async function until(at: Checkout, words: string): Promise<void> {
  const look = async (): Promise<void> => {
    const { stdout } = await warmLoopctl(['--json', 'inspect', 'asking'], environment(at.state))
    expect(stdout).toContain(words)
  }
  await vi.waitFor(look, { timeout: 30_000, interval: 150 })
}

/** One that is started, asked and stopped by the commands themselves. */
async function tellOfTheDaemon(at: Checkout): Promise<void> {
  const env = { LOOP_USE_DAEMON: '1' }
  const say = (...args: string[]): Promise<Ended> => use(at, args, env)
  await say('daemon')
  const { stdout } = await say('daemon', 'start', '--port', '0')
  const { pid } = JSON.parse(stdout) as { readonly pid: number }
  afterFile(() => isAlive(pid) && process.kill(pid, 'SIGKILL'))
  await say('daemon', 'status')
  await say('dashboard')
  await say('run', at.file, '--trust', '--name', 'slow', '--iterations', '1', '--detach')
  await say('queue')
  await say('watch', 'slow')
  await say('retry', 'slow', '--name', 'again')
  await say('inspect', 'slow')
  await say('output', 'slow')
  await say('reset', 'again', '--yes')
  await say('schedule', 'add', at.file, 'daily 09:00', '--from-next', '--name', 'nightly')
  await say('schedule', 'list')
  await say('schedule', 'pause', 'nightly', '--reason', 'release week')
  await say('schedule', 'pause', '--all')
  await say('schedule', 'resume', '--all')
  await say('schedule', 'resume', 'nightly')
  await say('schedule', 'run-now', 'nightly')
  await say('schedule', 'show', 'nightly')
  await say('doctor')
  await say('schedule', 'remove', 'nightly')
  await say('daemon', 'logs')
  await say('daemon', 'token')
  await say('daemon', 'token', 'add', 'anna')
  await say('daemon', 'token', 'list')
  await say('daemon', 'token', 'remove', 'anna')
  await say('daemon', 'install', '--print')
  await say('daemon', 'restart', '--port', '0')
  await say('daemon', 'stop')
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function tellOfCertificates(at: Checkout): Promise<void> {
  await use(at, ['certify', at.work, '--check', 'test=node --test', '--attended'])
  await use(at, ['certificate'])
  await use(at, ['certificate', 'first'])
  await use(at, ['certificate', 'first', '--out', join(at.state, '..', 'handed')])
  await use(at, ['verify', 'first'])
  const keys = join(at.state, '..', 'keys.json')
  writeFileSync(keys, (await use(at, ['keys', 'export'])).stdout)
  await use(at, ['keys', 'rotate'])
  await use(at, ['keys'])
  await use(at, ['keys', 'list'])
  const other = { ...at, state: join(at.state, '..', 'other-state') }
  const { stdout } = await use(other, ['keys', 'trust', keys])
  const { added } = JSON.parse(stdout) as { readonly added: readonly { readonly id: string }[] }
  await use(other, ['keys', 'untrust', added[0]?.id ?? ''])
}

async function tellOfTheMachine(at: Checkout): Promise<void> {
  await use(at, ['validate', at.file])
  await use(at, ['trust', at.file])
  await use(at, ['trust'])
  await use(at, ['trust', at.file, '--forget'])
  const rules = join(import.meta.dirname, '../../examples/policy/limits.cedar')
  await use(at, ['policy', 'check', rules])
  await use(at, ['policy', 'backtest', rules])
  await use(at, ['tools'])
  const measured = join(at.state, '..', 'measured.yaml')
  writeFileSync(
    measured,
    'workspace: work\nprompt: x\nagent: repair\nchecks: { test: node --test }\n',
  )
  await use(at, ['calibrate', measured, '--trust', '--defects', '1', '--seed', '1'])
  await use(at, ['preflight', at.file, '--trust', '--attended'])
  await use(at, ['doctor'])
  await use(at, ['agents'])
  // A trial that succeeds takes long; the other one has no key.
  await use(at, ['agents', 'test', share('repair', 'openai/gpt-5')])
  await use(at, ['agents', 'add', 'claude', '--yes'], withProgram(at, 'npm', npm))
  await use(at, ['agents', 'remove', 'claude'])
  await use(at, ['config', 'show'])
  await use(at, ['config', 'show', '--origin'])
  await use(at, ['config', 'path'])
  const config = join(at.work, 'loopwright.yaml')
  writeFileSync(config, '{}\n')
  await use(at, ['config', 'check', config])
  await use(at, ['config', 'schema'])
  await use(at, ['init', '--yes', '--check', 'true'])
  await use(at, ['catalog'])
  await use(at, ['catalog', 'show', 'ci-sweeper'])
  await use(at, ['catalog', 'add', 'ci-sweeper'])
  await use(at, [])
}

describe('every command', () => {
  test('has a schema, and every schema a command', () => {
    expect(Object.keys(commandOutputs).toSorted()).toEqual([...names].toSorted())
  })

  test.each(names)('%s prints what its schema says', (name) => {
    const output = commandOutputs[name]
    const ended = printed.get(name) ?? []
    const values = ended.map(({ stdout }) => valuesIn(stdout, output?.prints))
    // It must have printed something, or nothing is shown.
    const said = ended.map(({ stderr }) => stderr)
    expect({ printed: values.flat(), said }).not.toMatchObject({ printed: [] })
    const isValid = schemaOf(name)
    for (const value of values.flat()) {
      expect({ value, problems: isValid(value) ? [] : isValid.errors }).toMatchObject({
        problems: [],
      })
    }
  })
})

/** One value may be on several lines, for people who read it anyway. */
const valuesIn = (stdout: string, prints: 'one' | 'lines' = 'lines'): readonly unknown[] => {
  if (stdout === '') return []
  if (prints === 'one') return [JSON.parse(stdout)]
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}
