// Every executor that needs no repository: success, definite error, lost answer, repeated key.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  approvalOnly,
  cleanUpExecutor,
  commandExecutor,
  createActions,
  draftExecutor,
  notifyExecutor,
  startRunExecutor,
  webhookExecutor,
} from '../src/authority/index.ts'
import { FaultError, type Json, LoopError } from '../src/loop/index.ts'
import { createPlainCommands } from '../src/sandbox/index.ts'
import { actionContext, closedUrl, newFolder, openHook } from './executors-fixture.ts'

const action = (kind: string, details: Json) => ({ kind, summary: `do ${kind}`, details })
const context = actionContext()
const key = 'run-1/1/action#1'

describe('webhook', () => {
  const executor = (allowed: string, variables: Record<string, string> = {}) =>
    webhookExecutor({ allowed, variable: (name) => variables[name] })

  test('posts with the key; the receipt has the status', async () => {
    const { url, requests } = await openHook()
    const receipt = await executor(url).perform(action('webhook', { url }), key, context)
    expect(receipt).toMatchObject({ status: 'done', details: { url, status: 204 } })
    expect(requests).toMatchObject([{ key, body: expect.stringContaining('do webhook') }])
  })

  test.each([
    ['a redirect', 302],
    ['a refusal', 403],
  ])('%s is a definite error', async (_name, status) => {
    const { url, requests } = await openHook((response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(),
    )
    const done = executor(url).perform(action('webhook', { url }), key, context)
    await expect(done).rejects.toBeInstanceOf(FaultError)
    expect(requests).toHaveLength(1)
  })

  test('a lost answer is unknown; a receiver that knows keys is asked again with the same one', async () => {
    let isLost = true
    const { url, requests } = await openHook((response) => {
      if (isLost) response.destroy()
      else response.writeHead(200).end()
    })
    const hooks = executor(url)
    const once = action('webhook', { url })
    await expect(hooks.perform(once, key, context)).rejects.not.toBeInstanceOf(FaultError)
    expect(await hooks.find(once, key, context)).toEqual({ type: 'unknown' })
    const known = action('webhook', { url, idempotent: true })
    expect(await hooks.find(known, key, context)).toEqual({ type: 'unknown' })
    isLost = false
    expect(await hooks.find(known, key, context)).toMatchObject({ type: 'done' })
    expect(new Set(requests.map((request) => request.key))).toEqual(new Set([key]))
  })

  test('a server error is unknown, a server that is not there is definite', async () => {
    const { url } = await openHook((response) => void response.writeHead(503).end())
    const failing = executor(url).perform(action('webhook', { url }), key, context)
    await expect(failing).rejects.not.toBeInstanceOf(FaultError)
    const gone = await closedUrl()
    const absent = executor(gone).perform(action('webhook', { url: gone }), key, context)
    await expect(absent).rejects.toBeInstanceOf(FaultError)
  })

  test.each([
    ['no list', '', 'https://hooks.test/a'],
    ['another host', 'https://hooks.test/', 'https://hooks.test.evil.test/a'],
    ['another port', 'https://hooks.test/', 'https://hooks.test:8443/a'],
    ['a path that only starts the same', 'https://hooks.test/a', 'https://hooks.test/ab'],
    ['dots', 'https://hooks.test/a/', 'https://hooks.test/a/../b'],
    ['an encoded slash', 'https://hooks.test/a/', 'https://hooks.test/a/..%2Fb'],
    ['http elsewhere', 'http://hooks.test/', 'http://hooks.test/'],
    ['credentials', 'https://hooks.test/', 'https://user:pass@hooks.test/'],
    ['another scheme', 'file:///', 'file:///etc/passwd'],
  ])('is refused by the allow-list: %s', async (_name, allowed, url) => {
    const refused = executor(allowed).perform(action('webhook', { url }), key, context)
    await expect(refused).rejects.toBeInstanceOf(FaultError)
  })

  test('the token comes from the environment, and must be there', async () => {
    const tokens: (string | undefined)[] = []
    const { url } = await openHook((response, request) => {
      tokens.push(request.headers.authorization)
      response.writeHead(200).end()
    })
    const wanted = action('webhook', { url, tokenEnv: 'HOOK' })
    await executor(url, { HOOK: 'secret' }).perform(wanted, key, context)
    expect(tokens).toEqual(['Bearer secret'])
    const missing = executor(url).perform(wanted, key, context)
    await expect(missing).rejects.toMatchObject({ message: 'HOOK is not set.' })
  })
})

describe('command', () => {
  const commands = createPlainCommands()
  const shell = (text: string) => ['/bin/sh', '-c', text]
  const run = (cwd: string) =>
    commandExecutor({ commands, cwd, variable: (name) => (name === 'SHOWN' ? 'yes' : 'no') })

  test('gets the key and the named variables', async () => {
    const folder = newFolder()
    const details = {
      command: shell('echo "$LOOPWRIGHT_ACTION_KEY $SHOWN" > told'),
      env: ['SHOWN'],
    }
    expect(await run(folder).perform(action('command', details), key, context)).toMatchObject({
      status: 'done',
    })
    expect(readFileSync(join(folder, 'told'), 'utf8')).toBe(`${key} yes\n`)
  })

  test('an exit code is definite, a time-out is not', async () => {
    const folder = newFolder()
    const failing = run(folder).perform(
      action('command', { command: shell('exit 3') }),
      key,
      context,
    )
    await expect(failing).rejects.toBeInstanceOf(FaultError)
    const slow = { command: shell('sleep 60'), timeoutMs: 50 }
    const late = run(folder).perform(action('command', slow), key, context)
    await expect(late).rejects.not.toBeInstanceOf(FaultError)
  })

  test.each([
    ['exit 0', 'done'],
    ['exit 1', 'not-done'],
    ['exit 2', 'unknown'],
  ])('find by a command: %s is %s', async (text, type) => {
    const details = { command: shell('true'), find: shell(text) }
    const found = await run(newFolder()).find(action('command', details), key, context)
    expect(found).toMatchObject({ type })
  })

  test('without a find command the result of a lost one is unknown', async () => {
    const details = { command: shell('true') }
    expect(await run(newFolder()).find(action('command', details), key, context)).toEqual({
      type: 'unknown',
    })
  })
})

describe('draft', () => {
  test('is written once, and found by its key', async () => {
    const folder = join(newFolder(), 'drafts')
    const drafts = draftExecutor(folder)
    const wanted = action('draft', { text: 'Release notes' })
    expect(await drafts.find(wanted, key, context)).toEqual({ type: 'not-done' })
    const receipt = await drafts.perform(wanted, key, context)
    expect(await drafts.find(wanted, key, context)).toEqual({ type: 'done', receipt })
    await expect(drafts.perform(wanted, key, context)).rejects.toBeInstanceOf(FaultError)
    expect(readdirSync(folder)).toHaveLength(1)
    expect(await drafts.find(wanted, 'another', context)).toEqual({ type: 'not-done' })
  })
})

describe('start-run', () => {
  const fakeRuns = () => {
    const names = new Set<string>()
    let isLost = false
    const executor = startRunExecutor({
      exists: async (name) => names.has(name),
      async start({ name }) {
        if (names.has(name)) throw new LoopError('name-taken', 'taken')
        if (isLost) throw new LoopError('not-trusted', 'not trusted')
        names.add(name)
      },
    })
    return { executor, names, refuse: () => (isLost = true) }
  }
  const next = action('start-run', { loop: '/next.yaml' })

  test('the same key starts one run', async () => {
    const { executor, names } = fakeRuns()
    await executor.perform(next, key, context)
    expect(await executor.find(next, key, context)).toMatchObject({ type: 'done' })
    await executor.perform(next, key, context)
    expect(names.size).toBe(1)
  })

  test('a refusal is definite', async () => {
    const { executor, refuse } = fakeRuns()
    refuse()
    await expect(executor.perform(next, key, context)).rejects.toBeInstanceOf(FaultError)
    expect(await executor.find(next, key, context)).toEqual({ type: 'not-done' })
  })
})

describe('notify', () => {
  const notify = (lines: string[] = [], allowed = '') =>
    notifyExecutor({
      commands: createPlainCommands(),
      webhooks: { allowed, variable: () => undefined },
      terminal: (line) => void lines.push(line),
      desktop: () => Promise.reject(new Error('no desktop')),
    })

  test('the terminal gets one line without control characters', async () => {
    const lines: string[] = []
    const details = { by: { type: 'terminal' }, text: 'done\u001b[2J\nnow' }
    await notify(lines).perform(action('notify', details), key, context)
    expect(lines).toEqual(['done [2J now'])
  })

  test('a missing desktop is a definite error', async () => {
    const shown = notify().perform(action('notify', { by: { type: 'desktop' } }), key, context)
    await expect(shown).rejects.toBeInstanceOf(FaultError)
  })

  test('a webhook gets the text and the key; a command gets the text as its input', async () => {
    const { url, requests } = await openHook()
    const by = { type: 'webhook', url }
    await notify([], url).perform(action('notify', { by, text: 'hello' }), key, context)
    expect(requests).toMatchObject([{ key, body: expect.stringContaining('hello') }])
    const file = join(newFolder(), 'told')
    const command = ['/bin/sh', '-c', `cat > ${file}`]
    const details = { by: { type: 'command', command }, text: 'hello' }
    await notify().perform(action('notify', details), key, context)
    expect(readFileSync(file, 'utf8')).toBe('hello')
  })

  test('is never repeated: whether a person saw it is unknown', async () => {
    const found = await notify().find(action('notify', { by: { type: 'terminal' } }), key, context)
    expect(found).toEqual({ type: 'unknown' })
  })
})

test('clean-up can be repeated, and an error of it is definite', async () => {
  const cleaning = cleanUpExecutor({ clean: async () => ['/a'] })
  expect(await cleaning.perform(action('clean-up', {}), key, context)).toMatchObject({
    details: { removed: ['/a'] },
  })
  const broken = cleanUpExecutor({
    clean: () => Promise.reject(new LoopError('store-failed', 'x')),
  })
  const failing = broken.perform(action('clean-up', {}), key, context)
  await expect(failing).rejects.toBeInstanceOf(FaultError)
})

test('a kind without an executor is only approved, and says so', async () => {
  const actions = createActions({}, approvalOnly)
  for (const kind of ['merge', 'constructor', '__proto__']) {
    expect(await actions.perform(action(kind, {}), key, context)).toEqual({
      status: 'skipped',
      summary: `no external action executor configured (${kind})`,
    })
  }
})

test('settings of another form are a definite error', async () => {
  const hooks = webhookExecutor({ allowed: '', variable: () => undefined })
  const odd = hooks.perform(action('webhook', { url: 7 }), key, context)
  await expect(odd).rejects.toBeInstanceOf(FaultError)
})
