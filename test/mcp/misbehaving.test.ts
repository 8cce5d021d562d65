// A server that misbehaves loses its own tools, and nothing else.

import { describe, expect, test } from 'vitest'
import {
  connect,
  everything,
  freePort,
  isAlive,
  misbehaving,
  parsed,
  processesWith,
  until,
} from './fixture.ts'

describe('connecting', () => {
  test('a server that cannot be used is a problem with a reason, and the others work', async () => {
    const modes = [
      'initialize-hang',
      'initialize-die',
      'bad-version',
      'no-tools',
      'list-hang',
      'list-die',
      'list-no-array',
      'not-mcp',
      'deaf',
    ]
    const servers = Object.fromEntries(modes.map((mode) => [mode, misbehaving(mode)]))
    const { call, problems, tools } = await connect(
      {
        ...servers,
        missing: { command: ['/nonexistent/server'] },
        'no-folder': { command: [process.execPath], cwd: '/nonexistent/folder' },
        unreachable: { url: `http://127.0.0.1:${await freePort()}/mcp` },
        'not-http': { url: 'file:///nonexistent' },
        fine: misbehaving(),
      },
      { connectTimeoutMs: 3000 },
    )
    const reasons = Object.fromEntries(problems.map(({ server, message }) => [server, message]))
    expect(reasons).toEqual({
      'initialize-hang': expect.stringMatching(/did not answer in time.* Start it by hand/),
      'initialize-die': expect.stringMatching(/exited with code 2; its stderr: TOKEN is missing/),
      'bad-version': expect.stringMatching(/version is not supported: 1999-01-01/),
      'no-tools': expect.stringMatching(/offers no tools. Remove it/),
      'list-hang': expect.stringMatching(/did not answer in time/),
      'list-die': expect.stringMatching(/exited with code 4/),
      'list-no-array': expect.stringMatching(/expected array/),
      'not-mcp': expect.stringMatching(/in time. It wrote this to its output: Welcome!/),
      deaf: expect.stringMatching(/did not answer in time/),
      missing: expect.stringMatching(/no such program. Install it/),
      'no-folder': expect.stringMatching(/there is no folder \/nonexistent\/folder/),
      unreachable: expect.stringMatching(/cannot be reached: .*ECONNREFUSED/),
      'not-http': expect.stringMatching(/Only http: and https:/),
    })
    expect(tools.every(({ name }) => name.startsWith('fine__'))).toBe(true)
    expect(await call('fine__echo', { a: 1 })).toEqual({ ok: true, output: '{"a":1}' })
  })

  test('an abort ends connecting, and closes what was connected', async () => {
    const stop = new AbortController()
    const mark = `marked-${process.pid}-abort`
    const { command } = misbehaving('initialize-hang') as { command: readonly string[] }
    const connecting = connect(
      { fine: misbehaving(), hang: { command: [...command, mark] } },
      { signal: stop.signal },
    )
    await until(() => processesWith(mark).length > 0)
    expect(processesWith(mark)).toHaveLength(1)
    stop.abort(new Error('no longer wanted'))
    await expect(connecting).rejects.toThrow('no longer wanted')
    expect(processesWith(mark)).toEqual([])
    await expect(connect({ fine: misbehaving() }, { signal: stop.signal })).rejects.toThrow(
      'no longer wanted',
    )
  })

  test('endless lists are cut', async () => {
    const { problems, tools } = await connect({
      endless: misbehaving('list-endless'),
      again: misbehaving('list-again'),
      many: misbehaving('list-many'),
    })
    const count = (prefix: string): number =>
      tools.filter(({ name }) => name.startsWith(prefix)).length
    expect([count('endless'), count('again'), count('many')]).toEqual([50, 1, 500])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/more than 50 pages/),
      expect.stringMatching(/repeats itself/),
      expect.stringMatching(/"same" is listed more than once/),
      expect.stringMatching(/more than 500 tools/),
    ])
  })

  test('odd tools are cleaned or left out', async () => {
    const { problems, tools } = await connect({ odd: misbehaving('list-odd') })
    const found = new Map(tools.map((tool) => [tool.name, tool]))
    expect([...found.keys()]).toEqual([
      'odd__good',
      expect.stringMatching(/^odd__with_space_[0-9a-f]{6}$/),
      expect.stringMatching(/^odd__with_space_[0-9a-f]{6}$/),
      'odd___n_c_d_____x',
      expect.stringMatching(/^odd__l{52}_[0-9a-f]{6}$/),
      'odd__huge-description',
      'odd__hidden',
      'odd__bad-description',
      'odd__bad-annotations',
    ])
    expect(found.get('odd__good')?.description).toBe('does good')
    expect(found.get('odd__huge-description')?.description).toHaveLength(4000)
    expect(found.get('odd__hidden')?.description).toBe('a[31mbcde')
    expect(found.get('odd__bad-annotations')?.risk).toBe('destructive')
    expect(problems).toEqual([{ server: 'odd', message: expect.stringMatching(/and 4 more/) }])
  })
})

describe('a call', () => {
  test.each([
    ['lies-about-output', 'bad-answer', /output schema \(n: .*number/],
    ['no-structured', 'bad-answer', /no structured content/],
    ['no-result', 'bad-answer', /neither content/],
    ['bad-content', 'bad-answer', /expected array/],
    ['result-is-text', 'bad-answer', /an invalid answer/],
    ['no-answer-in-answer', 'bad-answer', /an invalid answer/],
    ['error-without-code', 'bad-answer', /an invalid answer/],
    ['deep', 'bad-answer', /nested too deep/],
    ['error-by-protocol', 'tool-failed', /broken inside/],
    ['failed', 'tool-failed', /no such thing/],
    ['die', 'server-gone', /exited with code 3/],
    ['die-loudly', 'server-gone', /exited with code 1; its stderr: the disk is \[31mfull/],
    ['long-line', 'server-gone', /stopped because it sent a line of more than/],
    ['flood', 'server-gone', /stopped because it sent more than \d+ bytes without an answer/],
    ['garbage-for-ever', 'server-gone', /stopped because it keeps writing .* noise/],
  ])('of %s fails as %s, and the next call works', async (tool, error, message) => {
    const { call } = await connect({ bad: misbehaving() })
    expect(await call(`bad__${tool}`)).toEqual({
      ok: false,
      error,
      output: expect.stringMatching(message),
    })
    expect(await call('bad__echo', { n: 1 })).toEqual({ ok: true, output: '{"n":1}' })
  })

  test.each([
    ['hang', /did not answer in time/],
    ['wrong-id', /in time. It wrote this to its output: .*987654/],
  ])('of %s ends at its time limit', async (tool, message) => {
    const { call } = await connect({ bad: misbehaving() }, { timeoutMs: 300 })
    const output = expect.stringMatching(message)
    expect(await call(`bad__${tool}`)).toEqual({ ok: false, error: 'timeout', output })
    expect(await call('bad__echo')).toMatchObject({ ok: true })
  })

  test.each([
    ['twice', 'first'],
    ['garbage', 'after garbage'],
    ['pings', 'pinged'],
  ])('of %s works anyway', async (tool, output) => {
    const { call } = await connect({ bad: misbehaving() })
    expect(await call(`bad__${tool}`)).toEqual({ ok: true, output })
    expect(await call('bad__echo')).toEqual({ ok: true, output: '{}' })
  })

  test('does not run the patterns of a hostile schema', async () => {
    const { call } = await connect({ bad: misbehaving() })
    expect(await call('bad__slow-pattern')).toMatchObject({ ok: true })
  })

  test('that is aborted is cancelled at the server, and others continue', async () => {
    const { call } = await connect({ bad: misbehaving() })
    const stop = new AbortController()
    const hanging = call('bad__hang', {}, stop.signal)
    const other = call('bad__hang')
    await call('bad__echo')
    stop.abort(new Error('enough'))
    await expect(hanging).rejects.toThrow('enough')
    expect((await call('bad__cancelled-ids')).output).toMatch(/^\[\d+\]$/)
    await call('bad__die')
    expect(await other).toMatchObject({ ok: false, error: 'server-gone' })
  })

  test('with wrong arguments never reaches the server', async () => {
    const { call } = await connect({ bad: misbehaving() })
    expect(await call('bad__die', 'text')).toMatchObject({ ok: false, error: 'bad-arguments' })
    expect(await call('bad__echo')).toMatchObject({ ok: true })
  })
})

describe('a server that ends', () => {
  test('is restarted by the next call, and abandoned if that does not help', async () => {
    const { call } = await connect({ bad: misbehaving() })
    for (let death = 0; death < 3; death++) {
      expect(await call('bad__die')).toMatchObject({ error: 'server-gone' })
    }
    const output = expect.stringMatching(/server is gone. Use other tools. .*exited with code 3/)
    expect(await call('bad__echo')).toEqual({ ok: false, error: 'server-gone', output })
  })

  test('is restarted as often as it works in between', async () => {
    const { call } = await connect({ bad: misbehaving() })
    for (let death = 0; death < 4; death++) {
      expect(await call('bad__die')).toMatchObject({ error: 'server-gone' })
      expect(await call('bad__echo')).toMatchObject({ ok: true })
    }
  })

  test('is restarted once for concurrent calls', async () => {
    const { call } = await connect({ bad: misbehaving() })
    await call('bad__die')
    const pids = await Promise.all([1, 2, 3, 4].map(() => call('bad__pid')))
    expect(new Set(pids.map(({ output }) => output)).size).toBe(1)
  })

  test('fails its calls in progress', async () => {
    const { call } = await connect({ bad: misbehaving() })
    const hanging = call('bad__hang')
    await call('bad__die')
    expect(await hanging).toMatchObject({ ok: false, error: 'server-gone' })
  })
})

describe('closing', () => {
  test('leaves no process alive, whatever its process group', async () => {
    const { call, close } = await connect({ bad: misbehaving('stubborn') })
    const pids = await Promise.all(
      ['pid', 'child', 'near-child'].map((name) => call(`bad__${name}`)),
    )
    const numbers = pids.map(({ output }) => Number(output))
    expect(numbers.filter(isAlive)).toEqual(numbers)
    await close()
    await until(() => !numbers.some(isAlive))
    expect(numbers.filter(isAlive)).toEqual([])
  })

  test('without marks still ends the whole process group', async () => {
    const connected = await connect({ bad: misbehaving('stubborn') }, {}, {})
    const numbers = [
      Number((await connected.call('bad__pid')).output),
      Number((await connected.call('bad__near-child')).output),
    ]
    await connected.close()
    await until(() => !numbers.some(isAlive))
    expect(numbers.filter(isAlive)).toEqual([])
  })

  test('fails the calls in progress and all that follow', async () => {
    const { call, close } = await connect({ bad: misbehaving() })
    const hanging = call('bad__hang')
    await close()
    expect(await hanging).toMatchObject({ ok: false, error: 'server-gone' })
    expect(await call('bad__echo')).toMatchObject({ ok: false, error: 'server-gone' })
  })

  test('works twice, and while a server is restarting', async () => {
    const { call, close } = await connect({ bad: misbehaving() })
    await call('bad__die')
    const again = call('bad__pid')
    await Promise.all([close(), close()])
    expect(await again).toMatchObject({ error: 'server-gone' })
  })

  test("processes in the server's group die when a call kills the server", async () => {
    const { call } = await connect({ bad: misbehaving() })
    const child = Number((await call('bad__child')).output)
    await call('bad__die')
    await until(() => !isAlive(child))
    expect(isAlive(child)).toBe(false)
  })
})

test('a call that was aborted before it started does not reach the server', async () => {
  const { call } = await connect({ bad: misbehaving() })
  const stop = new AbortController()
  const dying = call('bad__die', {}, stop.signal)
  stop.abort(new Error('enough'))
  await expect(dying).rejects.toThrow('enough')
  expect(await call('bad__echo')).toMatchObject({ ok: true })
})

test('the environment of a server is minimal, plus what is configured', async () => {
  const { command } = misbehaving() as { command: readonly string[] }
  const environment = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    SECRET: 'x',
    LANG: undefined,
  }
  const { call } = await connect({ bad: { command, env: { GIVEN: 'y' } } }, { environment })
  const found = parsed(await call('bad__environment'))
  expect(Object.keys(found).toSorted()).toEqual(['GIVEN', 'HOME', 'LOOPWRIGHT_COMMAND', 'PATH'])
})

test('a server that supports only protocol 2026-07-28 can be used', async () => {
  const { call, problems } = await connect({ new: misbehaving('modern') }, { timeoutMs: 2000 })
  expect(problems).toEqual([])
  expect(await call('new__echo', { n: 1 })).toEqual({ ok: true, output: '{"n":1}' })
  expect(await call('new__hang')).toMatchObject({ ok: false, error: 'timeout' })
  expect(await call('new__die')).toMatchObject({ ok: false, error: 'server-gone' })
  expect(await call('new__echo', { n: 2 })).toEqual({ ok: true, output: '{"n":2}' })
})

test('two servers may have tools of the same name', async () => {
  const { call } = await connect({ a: misbehaving(), b: misbehaving() })
  const pids = [await call('a__pid'), await call('b__pid')].map(({ output }) => output)
  expect(pids[0]).not.toBe(pids[1])
})

test('an official server is not disturbed by a bad one', async () => {
  const { call } = await connect({ bad: misbehaving(), good: everything() })
  const [bad, good] = await Promise.all([call('bad__flood'), call('good__get-sum', { a: 2, b: 3 })])
  expect(bad.ok).toBe(false)
  expect(good.output).toMatch(/5/)
})
