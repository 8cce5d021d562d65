// ACP agents: honest ones, and every way in which one can fail. No failure counts as a success,
// each end has its name, and no process is left (the fixture checks each time).

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentEnd, AgentGuidance } from '../../src/loop/index.ts'
import { newFolder } from '../sandbox/fixture.ts'
import { type FakeOptions, workAs } from './acp-fixture.ts'

const faultOf = (mode: string, options?: FakeOptions): Promise<unknown> =>
  workAs(mode, options).then(
    () => undefined,
    (error: { readonly fault?: unknown }) => error.fault,
  )

describe.each([
  ['as a plain process', false],
  ['in the sandbox', true],
])('%s', (_where, sandboxed) => {
  test('an agent does its work in the workspace, reports progress, and reports its result', async () => {
    const { report, said, todo, workspace } = await workAs('honest', { sandboxed })
    expect(report).toMatchObject({ status: 'done', ended: 'claimed', turns: 2 })
    expect(report.text).toBe('The file is written.')
    expect(await readFile(join(workspace, 'out.txt'), 'utf8')).toBe('write this')
    expect(said).toEqual(['I will write the file.', 'edit Write out.txt', 'The file is written.'])
    expect(todo).toEqual([
      {
        type: 'todo',
        items: [
          { text: 'look', status: 'done' },
          { text: 'write', status: 'doing' },
        ],
        total: 2,
        done: 1,
      },
    ])
  })

  test('an agent that ignores every request to end is killed with its children', async () => {
    const { report } = await workAs('stubborn', { sandboxed, idleMs: 4000 })
    expect(report).toMatchObject({ status: 'failed', ended: 'idle' })
    expect(report.text).toContain('I stay.')
  })

  test('a missing program ends the run', async () => {
    const fault = await faultOf('honest', { sandboxed, command: ['/nonexistent/agent'] })
    expect(fault).toMatchObject({ code: 'agent-not-started', fatal: true })
    expect((fault as { message: string }).message).toContain('/nonexistent/agent')
  })

  test('an agent that dies reports how', async () => {
    const { report } = await workAs('dies', { sandboxed })
    expect(report).toMatchObject({ status: 'failed', ended: 'crashed' })
    expect(report.text).toContain('exited with code 3')
    expect(report.text).toContain('something terrible')
  })

  test('when the run is stopped, the agent is asked to stop, and its permission requests are cancelled', async () => {
    const stop = new AbortController()
    const onNote = (): void => stop.abort(new Error('enough'))
    const workspace = await newFolder()
    const work = workAs('polite', { sandboxed, workspace, signal: stop.signal, onNote })
    await expect(work).rejects.toThrow('enough')
    expect(await readFile(join(workspace, 'cancelled.txt'), 'utf8')).toBe('cancelled')
  })
})

test('an agent that runs out of time is asked to stop, too', async () => {
  const { report, workspace } = await workAs('polite', { timeoutMs: 1500, idleMs: 60_000 })
  expect(report).toMatchObject({ status: 'failed', ended: 'time' })
  expect(await readFile(join(workspace, 'cancelled.txt'), 'utf8')).toBe('cancelled')
})

test('a run that is stopped before it starts starts nothing', async () => {
  const start = (): never => {
    throw new Error('it was started')
  }
  const signal = AbortSignal.abort(new Error('too late'))
  await expect(workAs('honest', { start, signal })).rejects.toThrow('too late')
})

/** A person says something as soon as `holds` is true. */
function tellOnce(holds: () => boolean): AgentGuidance {
  let isTaken = false
  return {
    get waiting() {
      return !isTaken && holds() ? 1 : 0
    },
    async take() {
      isTaken = true
      return [{ id: 1, by: 'ada', atMs: 0, text: 'Write this instead.' }]
    },
  }
}

const guided = 'A person who watches this run tells you:\n\nada says:\n> Write this instead.'

test('what a person says comes between two tool calls, in the same session', async () => {
  const { report, workspace } = await workAs('steered', { guidance: tellOnce(() => true) })
  expect(report).toMatchObject({ status: 'done', ended: 'claimed' })
  expect(await readFile(join(workspace, 'out.txt'), 'utf8')).toBe(guided)
})

test('an agent that ends its turn before it is told gets it in another turn', async () => {
  const workspace = await newFolder()
  const guidance = tellOnce(() => existsSync(join(workspace, 'out.txt')))
  const { report } = await workAs('honest', { guidance, workspace })
  expect(report).toMatchObject({ status: 'done', ended: 'claimed' })
  expect(await readFile(join(workspace, 'out.txt'), 'utf8')).toBe(guided)
})

const stops: readonly [mode: string, ended: AgentEnd][] = [
  ['tokens', 'limit'],
  ['turns', 'limit'],
  ['refusal', 'refused'],
  ['cancels-itself', 'interrupted'],
  ['no-words', 'no-result'],
  ['odd-stop', 'crashed'],
  ['no-stop', 'crashed'],
  ['no-answer', 'crashed'],
  ['failed', 'crashed'],
  ['rate-limited', 'provider'],
  ['odd-handshake', 'crashed'],
  ['dies-at-once', 'crashed'],
  ['dies-by-signal', 'crashed'],
  ['garbage', 'crashed'],
  ['huge-line', 'crashed'],
  ['asks-and-never-reads', 'crashed'],
]

test.each(stops)(
  'one that behaves as "%s" has ended as %s, and is not done',
  async (mode, ended) => {
    const { report } = await workAs(mode)
    expect(report).toMatchObject({ status: 'failed', ended })
    expect(report.text).not.toBe('')
  },
)

test('an agent that floods is ended, and little of its output is kept', async () => {
  const { report, said } = await workAs('flood')
  expect(report).toMatchObject({ status: 'failed', ended: 'crashed' })
  expect(report.text).toMatch(/^It did not end its work: it sent too much/)
  expect(report.text.length).toBeLessThan(5000)
  expect(said.length).toBeLessThanOrEqual(2000)
})

test.each(['mute', 'silent', 'silent-after-words'])(
  'one that never answers ("%s") is ended at the idle limit',
  async (mode) => {
    const { report } = await workAs(mode, { idleMs: 1500 })
    expect(report).toMatchObject({ status: 'failed', ended: 'idle' })
  },
)

test('it is not idle while its model is working', async () => {
  let looks = 0
  const isBusy = (): boolean => ++looks < 20
  const { report } = await workAs('silent', { idleMs: 100, isBusy })
  expect(report.ended).toBe('idle')
  expect(looks).toBeGreaterThanOrEqual(20)
})

test('its time is limited', async () => {
  const { report } = await workAs('silent-after-words', { timeoutMs: 1000 })
  expect(report).toMatchObject({ status: 'failed', ended: 'time' })
  expect(report.text).toContain('within 1 s')
})

test.each(['noise', 'deep', 'twice', 'talks-first'])(
  'invalid or surplus messages ("%s") are dropped',
  async (mode) => {
    const { report, workspace } = await workAs(mode)
    expect(report).toMatchObject({ status: 'done', ended: 'claimed' })
    expect(existsSync(join(workspace, 'out.txt'))).toBe(true)
  },
)

test('what we do not offer is refused as the protocol requires', async () => {
  const { report } = await workAs('wants-more')
  expect(report.text).toBe('-32601 -32601 -32601 -32601 -32602')
})

test('a claim is not believed if the last response of its model was cut short', async () => {
  const { report } = await workAs('honest', { lastAnswer: () => 'other' })
  expect(report).toMatchObject({ status: 'failed', ended: 'provider' })
  expect(report.text).toContain('The file is written.')
})

test('the last line of its message may report more than done', async () => {
  const { report } = await workAs('status')
  expect(report).toMatchObject({ status: 'blocked', ended: 'claimed', text: 'I cannot.' })
})

test('secrets and colors are removed from its output', async () => {
  const { report, said } = await workAs('secret', { env: { MY_API_KEY: 'sk-123456' } })
  expect(report.text).toBe('The key is [secret]. red')
  expect(said.join()).not.toContain('sk-123456')
})

describe('permissions', () => {
  test('what is not allowed is not done, and the end is not a claim', async () => {
    const { report, said, workspace } = await workAs('honest', { permissions: 'reads' })
    expect(report).toMatchObject({ status: 'failed', ended: 'refused' })
    expect(said).toContain('not allowed: Write out.txt')
    expect(existsSync(join(workspace, 'out.txt'))).toBe(false)
  })

  test('an allowed call is allowed once', async () => {
    const { report } = await workAs('chosen', { permissions: 'edits' })
    expect(JSON.parse(report.text)['call-1']).toEqual({ outcome: 'selected', optionId: 'yes' })
  })

  test('a tool without a kind needs the strongest rule', async () => {
    const edits = await workAs('honest', { permissions: 'edits', kind: 'none' })
    expect(edits.report.ended).toBe('refused')
    const all = await workAs('honest', { permissions: 'all', kind: 'none' })
    expect(all.report.ended).toBe('claimed')
  })

  test('an agent that was refused but found another way may claim success', async () => {
    const { report } = await workAs('another-way', { permissions: 'edits', kind: 'execute' })
    expect(report).toMatchObject({ status: 'done', ended: 'claimed' })
  })
})

test('a prompt is never mistaken for a command of the agent', async () => {
  const { workspace } = await workAs('honest', { prompt: '\n /clear everything' })
  expect(await readFile(join(workspace, 'out.txt'), 'utf8')).toBe('Task: /clear everything')
})

describe('the session', () => {
  test('is in the workspace; we offer no files, no terminals and no servers', async () => {
    const { report, workspace } = await workAs('chosen')
    const { cwd, initialize, mcpServers } = JSON.parse(report.text)
    expect({ cwd, mcpServers }).toEqual({ cwd: workspace, mcpServers: [] })
    expect(initialize).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    })
  })

  test('has the configured mode, model and servers', async () => {
    const { report } = await workAs('chosen', {
      mode: 'yolo',
      model: 'm1',
      title: 'loop',
      mcpServers: [{ name: 'files', command: '/bin/files', args: ['-r'], env: { A: 'b' } }],
    })
    expect(JSON.parse(report.text)).toMatchObject({
      mode: 'yolo',
      model: 'the-model=m1',
      title: 'loop',
      mcpServers: [
        { name: 'files', command: '/bin/files', args: ['-r'], env: [{ name: 'A', value: 'b' }] },
      ],
    })
  })

  test('continues without a title if the agent does not support them', async () => {
    const { report } = await workAs('no-titles', { title: 'loop' })
    expect(report.ended).toBe('claimed')
  })

  test('cannot have a model if none can be chosen', async () => {
    const fault = await faultOf('no-models', { model: 'm1' })
    expect(fault).toMatchObject({ code: 'agent-not-supported', fatal: true })
  })

  test('of another version of the protocol is refused', async () => {
    const fault = await faultOf('version-2')
    expect(fault).toMatchObject({ code: 'agent-not-supported', fatal: true })
  })

  test('that requires a login names the methods', async () => {
    for (const [mode, authMethod] of [
      ['login', undefined],
      ['login-later', undefined],
      ['never-authenticated', 'api-key'],
      ['login', 'unknown'],
    ] as const) {
      const fault = await faultOf(mode, authMethod === undefined ? {} : { authMethod })
      expect(fault).toMatchObject({ code: 'agent-needs-login', fatal: true })
      expect((fault as { message: string }).message).toContain('api-key (Use an API key)')
    }
  })

  test('is authenticated with the configured method', async () => {
    const { report } = await workAs('login', { authMethod: 'api-key' })
    expect(report.ended).toBe('claimed')
  })
})

test('is reported once the turn is over, but not if it was cut', async () => {
  let turns = 0
  const onTurnEnded = (): void => void turns++
  await workAs('honest', { onTurnEnded })
  expect(turns).toBe(1)
  await workAs('dies', { onTurnEnded })
  expect(turns).toBe(1)
})
