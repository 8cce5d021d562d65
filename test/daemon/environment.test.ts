// Which variables of their caller's environment runs of the daemon get.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  createCallerEnvironments,
  type Log,
  openScheduler,
  type Scheduler,
} from '../../src/daemon/index.ts'
import { type Host, previewLoop, trustLoop } from '../../src/host/index.ts'
import type { RunId } from '../../src/loop/index.ts'
import { firstAfterStory } from '../after.ts'
import { newFolder, newHost } from '../host-fixture.ts'

const secret = 'sk-caller-0123456789abcdef'
const path = process.env['PATH'] ?? ''
const inPlace = { worktree: { use: false } }

afterEach(() => vi.unstubAllEnvs())

async function loopFile(host: Host, agent: string, check = '"test -f ok"'): Promise<string> {
  const file = join(newFolder(), 'loop.yaml')
  const text = `name: small\nprompt: Work.\nagent: ${agent}\nchecks: { done: ${check} }\nlimits: { iterations: 1 }\n`
  writeFileSync(file, text)
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  return file
}

async function open(host: Host, runs = 3, lines: string[] = []): Promise<Scheduler> {
  const write = (fields: object, text: string): void =>
    void lines.push(JSON.stringify(fields) + text)
  const log: Log = { info: write, warn: write, error: write }
  const settings = {
    maxConcurrentRuns: runs,
    maxRunsPerWorkspace: 3,
    queuePolicy: 'fifo',
  } as const
  const scheduler = await openScheduler({ host, log, settings })
  firstAfterStory(() => scheduler.drain(AbortSignal.abort()))
  return scheduler
}

async function left(host: Host, run: RunId, afterSeq = 0): Promise<string> {
  for await (const { event } of host.events(run, { afterSeq })) {
    if (event.type === 'run-ended') return event.outcome.type
    if (event.type === 'run-suspended') return event.reason
  }
  throw new Error('Its events are over.')
}

/** The files below a folder that contain a text. */
const holding = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text))

/** Prints its secret, and works only if it has it. */
const talker =
  '{ command: [sh, -c, "test ${#DEPLOY_TOKEN} -eq 26 && touch ok; echo I have $DEPLOY_TOKEN"], env: [DEPLOY_TOKEN] }'

describe('the caller of a run', () => {
  test('determines by its PATH which programs are used', async () => {
    const host = await newHost()
    const scheduler = await open(host)
    const tools = join(newFolder(), 'tools')
    mkdirSync(tools)
    writeFileSync(join(tools, 'own-tool'), '#!/bin/sh\nexit 0\n')
    chmodSync(join(tools, 'own-tool'), 0o755)
    const file = await loopFile(host, '{ script: [[{ say: Done. }]] }', '[own-tool]')
    const request = { file, ...inPlace }
    const environment = { PATH: `${tools}:${path}` }
    const found = await scheduler.submit({ ...request, workspace: newFolder(), environment })
    expect(await left(host, found.run.id)).toBe('completed')
    const without = { ...request, workspace: newFolder(), environment: { PATH: path } }
    await expect(scheduler.submit(without)).rejects.toThrow('needs the program own-tool')
  })

  test('passes a variable that the loop names, and its value is not stored', async () => {
    const host = await newHost()
    const lines: string[] = []
    const scheduler = await open(host, 3, lines)
    const file = await loopFile(host, talker)
    expect((await previewLoop(file, host.folder)).variables).toContain('DEPLOY_TOKEN')
    const workspace = newFolder()
    const environment = { PATH: path, DEPLOY_TOKEN: secret }
    const { run } = await scheduler.submit({ file, workspace, ...inPlace, environment }, 'key')
    expect(await left(host, run.id)).toBe('completed')
    expect(existsSync(join(workspace, 'ok'))).toBe(true)
    const said = JSON.stringify(await host.journal.read(run.id))
    expect(said).toContain('I have')
    for (const text of [said, ...lines]) expect(text).not.toContain(secret)
    expect(holding(host.folder, secret)).toEqual([])
    expect(holding(workspace, secret)).toEqual([])
  })

  test('is asked only for the variables that the loop names', async () => {
    const host = await newHost()
    const file = await loopFile(host, '{ script: [[{ say: Done. }]] }')
    expect((await previewLoop(file, host.folder)).variables).toEqual([])
    const model = await loopFile(host, '{ model: anthropic/claude-x, apiKeyEnv: MY_KEY }')
    const { variables } = await previewLoop(model, host.folder)
    expect(variables).toEqual(expect.arrayContaining(['ANTHROPIC_API_KEY', 'MY_KEY']))
    expect(variables).not.toContain('HOME')
  })

  test('gets the same run when it asks again with another environment', async () => {
    const host = await newHost()
    const scheduler = await open(host, 0)
    const file = await loopFile(host, '{ script: [[{ say: Done. }]] }')
    const request = { file, workspace: newFolder(), ...inPlace }
    const first = await scheduler.submit({ ...request, environment: { TOKEN: 'one' } }, 'k')
    const second = await scheduler.submit({ ...request, environment: { TOKEN: 'two' } }, 'k')
    expect([second.run.id, second.isNew]).toEqual([first.run.id, false])
  })
})

describe('a run whose caller is gone', () => {
  async function restarted(host: Host, agent: string, name: string, value: string): Promise<RunId> {
    const before = await open(host, 0)
    const file = await loopFile(host, agent)
    const environment = { PATH: path, [name]: value }
    const request = { file, workspace: newFolder(), ...inPlace, environment }
    const { run } = await before.submit({ ...request, name: 'work' })
    await before.drain(AbortSignal.abort())
    return run.id
  }

  test('waits for a variable that it needs, names it, and continues when it is sent', async () => {
    const host = await newHost()
    vi.stubEnv('XDG_CONFIG_HOME', newFolder())
    const run = await restarted(host, talker, 'DEPLOY_TOKEN', secret)
    const scheduler = await open(host)
    const reason = await left(host, run)
    expect(reason).toContain('needs DEPLOY_TOKEN')
    expect(reason).toContain('loopctl resume work')
    expect(reason).toContain(join('loopwright', 'keys'))
    const { lastSeq } = await host.journal.findRun(run)
    await scheduler.enqueue(run, { environment: { PATH: path, DEPLOY_TOKEN: secret } })
    expect(await left(host, run, lastSeq)).toBe('completed')
  })

  test('gets it from the key file', async () => {
    const host = await newHost()
    const config = newFolder()
    vi.stubEnv('XDG_CONFIG_HOME', config)
    mkdirSync(join(config, 'loopwright'))
    const keys = join(config, 'loopwright', 'keys')
    writeFileSync(keys, `DEPLOY_TOKEN=${secret}\n`, { mode: 0o600 })
    const run = await restarted(host, talker, 'DEPLOY_TOKEN', secret)
    await open(host)
    expect(await left(host, run)).toBe('completed')
    expect(holding(host.folder, secret)).toEqual([])
  })

  test('waits for the key of its model', async () => {
    const host = await newHost()
    vi.stubEnv('XDG_CONFIG_HOME', newFolder())
    vi.stubEnv('ANTHROPIC_API_KEY', '')
    const agent = '{ model: anthropic/claude-haiku-4-5 }'
    const run = await restarted(host, agent, 'ANTHROPIC_API_KEY', secret)
    await open(host)
    expect(await left(host, run)).toMatch(/needs ANTHROPIC_API_KEY.*loopctl resume work.*keys/)
  })
})

test('values are kept until the run has ended, and are masked', () => {
  const environments = createCallerEnvironments()
  const run = 'r' as RunId
  environments.put(run, { PATH: '/bin', DEPLOY_TOKEN: secret })
  environments.put(run, undefined)
  expect(environments.find(run)).toEqual({ PATH: '/bin', DEPLOY_TOKEN: secret })
  expect(environments.secrets()).toEqual([secret])
  environments.drop(run)
  expect([environments.find(run), environments.secrets()]).toEqual([undefined, []])
})
