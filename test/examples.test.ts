/**
 * Every example does what its first lines say: library examples here, loop files through loopctl.
 */

import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { examples } from '../build/examples/index.js'
import { observer } from '../build/examples/own-hook.js'
import { inMemory, playRound as playOwnRound } from '../build/examples/own-round.js'
import { type Hook, type Inspection, openHost } from '../dist/host/index.js'
import { share } from './share.ts'
import { warmLoopctl } from './warm-loopctl.ts'

const root = new URL('..', import.meta.url).pathname
const base = mkdtempSync(join(tmpdir(), 'loopwright-examples-'))
let folders = 0

afterAll(() => rmSync(base, { recursive: true, force: true }))

function newFolder(): string {
  const folder = join(base, String(++folders))
  mkdirSync(folder)
  return folder
}

interface Played extends Inspection {
  readonly workspace: string
}

async function play(name: string, hooks: readonly Hook[]): Promise<Played> {
  const example = examples[name]
  if (example === undefined) throw new Error(`There is no example ${name}.`)
  const { loop, input, limits = {}, files } = example
  const workspace = newFolder()
  for (const [path, text] of Object.entries(files ?? {})) writeFileSync(join(workspace, path), text)
  const parts = example.parts(workspace)
  const host = await openHost({ folder: newFolder() })
  try {
    const run = await host.start(loop, {
      ...parts,
      input,
      limits,
      hooks: [...(parts.hooks ?? []), ...hooks],
      ...(files === undefined ? {} : { workspace }),
    })
    await run.done
    return { ...(await host.inspect(run.id)), workspace }
  } finally {
    await host.close()
  }
}

const seen: string[] = []
const played = new Map<string, Promise<Played>>()

/** Several tests look at the same run. */
function playOnce(name: string): Promise<Played> {
  const hooks = name === 'own-hook' ? [observer((what) => seen.push(what))] : []
  const playing = played.get(name) ?? play(name, hooks)
  played.set(name, playing)
  return playing
}

const ends: Readonly<Record<string, readonly [outcome: string, iterations: number]>> = {
  repair: ['completed', 3],
  'fan-out': ['completed', 3],
  publish: ['completed', 1],
  budget: ['exhausted', 7],
  'rate-limit': ['exhausted', 3],
  'own-agent': ['completed', 4],
  'own-tool': ['completed', 2],
  'own-check': ['completed', 2],
  'own-hook': ['completed', 1],
}

describe('an example for the library', () => {
  test('is one of these', () => expect(Object.keys(examples)).toEqual(Object.keys(ends)))

  test.each(Object.entries(ends))('%s ends as %j', async (name, [outcome, iterations]) => {
    const { state } = await playOnce(name)
    expect([state.outcome?.type, state.iteration]).toEqual([outcome, iterations])
  })

  test('a custom agent spends what it settled, with recorded tool calls', async () => {
    const { state, workspace } = await playOnce('own-agent')
    expect(state.spent).toEqual({ tokens: 360, costMicros: 1080 })
    expect(state.metrics.tools['write']).toMatchObject({ calls: 3, failed: 0 })
    expect(readdirSync(workspace).toSorted()).toEqual([
      'LICENSE',
      'NOTICE',
      'README.md',
      'index.js',
    ])
  })

  test('a custom tool fails as data, and the next call succeeds', async () => {
    const { state } = await playOnce('own-tool')
    expect(state.metrics.tools['define']).toMatchObject({ calls: 2, failed: 1 })
  })

  test('a custom check decides, bound to the files it saw', async () => {
    const { state } = await playOnce('own-check')
    expect(state.evidence['links']).toEqual({ status: 'met', iteration: 2, tree: state.tree })
  })

  test('a blocking hook refuses a call, and an observing one sees the rest', async () => {
    const { state } = await playOnce('own-hook')
    expect(state.metrics.tools['run']).toMatchObject({ calls: 1, failed: 1 })
    expect(seen).toEqual(['after-tool write', 'after-iteration', 'after-run'])
  })
})

test('a round in code has its own agents, tools, gate, executor and memory', async () => {
  const facts: string[] = []
  const host = await openHost({ folder: newFolder() })
  try {
    const report = await playOwnRound(host, newFolder(), inMemory(facts))
    expect(report).toMatchObject({
      outcome: { type: 'proceeded' },
      decision: { type: 'auto-proceed', rule: 'callback' },
      action: { kind: 'print', summary: expect.stringContaining('printed: ') },
      verified: { type: 'checker' },
      warnings: [],
    })
    expect(facts).toEqual([expect.stringMatching(/^proceeded — /)])
  } finally {
    await host.close()
  }
})

test("a custom agent keeps the contract, in Node's own test runner", async () => {
  const file = join(root, 'build/examples/own-agent-contract.js')
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
    execFile(process.execPath, ['--test', file], { env }, (error, out) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout: out }),
    )
  })
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 1[5-9]/) })
})

interface Ended {
  readonly code: number
  readonly lines: readonly Line[]
  readonly stderr: string
}

interface Line {
  readonly event?: { readonly type: string }
  readonly outcome?: { readonly type: string }
}

/** The programs of dev dependencies are on the PATH: one of them is an MCP server. */
async function loopctl(...args: string[]): Promise<Ended> {
  const env = {
    PATH: [join(root, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
    HOME: base,
    LOOPWRIGHT_STATE: join(base, 'state'),
    LOOP_USE_DAEMON: '0',
  }
  const { stdout, ...ended } = await warmLoopctl(['--json', ...args], env)
  const lines = stdout.split('\n').filter((line) => line !== '')
  return { ...ended, lines: lines.map((line) => JSON.parse(line) as Line) }
}

interface RunFile extends Ended {
  readonly workspace: string
}

const ranFiles = new Map<string, Promise<RunFile>>()

/** On a copy of its project, which stays unchanged; once, even if several tests use it. */
function runFile(file: string): Promise<RunFile> {
  const running = ranFiles.get(file) ?? runCopy(file)
  ranFiles.set(file, running)
  return running
}

async function runCopy(file: string): Promise<RunFile> {
  const workspace = newFolder()
  cpSync(join(root, 'examples', file, '..', 'project'), workspace, { recursive: true })
  const path = join(root, 'examples', file)
  const ended = await loopctl('run', path, '--trust', '--in-place', '--workspace', workspace)
  return { ...ended, workspace }
}

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8')

describe('a loop file', () => {
  const all = [
    'build-text/loop.yaml',
    'each-file/loop.ts',
    'fix-sum/loop.yaml',
    'mcp-files/loop.yaml',
    'mend-duration/loop.yaml',
  ]

  test('is one of these', () => {
    const entries = readdirSync(join(root, 'examples'), { withFileTypes: true })
    const found = entries.flatMap(({ name }) => {
      const hasLoop = ['loop.yaml', 'loop.ts'].some((file) =>
        existsSync(join(root, 'examples', name, file)),
      )
      return hasLoop ? [name] : []
    })
    expect(all.map((file) => file.split('/')[0])).toEqual(found.toSorted())
  })

  test.each([...all, 'first-loop.yaml'])('%s has no problems', async (file) => {
    expect(await loopctl('validate', join(root, 'examples', file))).toMatchObject({ code: 0 })
  })

  const inCode = ['each-file/loop.ts', 3] as const
  const withTools = ['mcp-files/loop.yaml', 2] as const
  const complete = [
    inCode,
    withTools,
    ['build-text/loop.yaml', 2],
    ['fix-sum/loop.yaml', 3],
    // `npm start` runs this one, in test/e2e/programs.test.ts.
    ['mend-duration/loop.yaml', 1],
  ] as const

  test.each(share([...complete], [inCode, withTools]))(
    '%s is complete after %i iterations',
    async (file, iterations) => {
      const { code, lines, stderr } = await runFile(file)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(lines.at(-1)).toMatchObject({ outcome: { type: 'completed' } })
      const rounds = lines.filter(({ event }) => event?.type === 'iteration-ended')
      expect(rounds).toHaveLength(iterations)
    },
  )

  test('in TypeScript changes each file once', async () => {
    const { workspace } = await runFile('each-file/loop.ts')
    const line = '// SPDX-License-Identifier: Apache-2.0\n'
    expect(read(workspace, 'one.js')).toBe(`${line}export const one = 1\n`)
    expect(read(workspace, 'two.js')).toBe(`${line}export const two = 2\n`)
  })
})
