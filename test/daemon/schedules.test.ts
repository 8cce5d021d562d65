/** Schedules on the daemon as a process: what makes them due, and what happens when it is killed. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { previewLoop, trustLoop } from '../../src/launch/load-loop.ts'
import type { AddedSchedule, Schedule, ScheduleTrigger } from '../../src/protocol/api/index.ts'
import { commitFirst } from '../first-commit.ts'
import { sendWebhook as send } from './send-webhook.ts'
import { type StartedDaemon, startDaemon } from './start-daemon.ts'

const small = `
prompt: Count.
checks: { yes: 'true' }
agent: { script: [[{ say: Counted. }]] }
`

const author = ['-c', 'user.name=A', '-c', 'user.email=a@localhost']

function makeRepository(folder: string): void {
  writeFileSync(join(folder, 'a.txt'), 'a\n')
  commitFirst(folder, process.env)
}

const waits = { timeout: 60_000, interval: 50 }

interface Scene {
  /** Of its schedule. */
  readonly name: string
  readonly file: string
  readonly work: string
  add(trigger: ScheduleTrigger, more?: object): Promise<AddedSchedule>
  show(name: string): Promise<Schedule>
  /** Waits until its newest tick is like this. */
  tick(name: string, expected: object): Promise<Schedule>
}

let daemon: StartedDaemon
beforeAll(async () => {
  daemon = await startDaemon()
})

let scenes = 0

async function openScene(loop = small): Promise<Scene> {
  scenes += 1
  const name = `chore${scenes}`
  const folder = dirname(daemon.state)
  const work = join(folder, name)
  mkdirSync(work)
  const file = join(folder, `${name}.yaml`)
  writeFileSync(file, loop)
  await trustLoop(await previewLoop(file, daemon.state), daemon.state)
  const show = async (one: string): Promise<Schedule> =>
    (await daemon.ask('GET', `/schedules/${one}`)).json() as Schedule
  return {
    name,
    file,
    work,
    show,
    async add(trigger, more = {}) {
      const request = { file, workspace: work, trigger, ...more }
      const answer = await daemon.ask('POST', '/schedules', request)
      expect(answer).toMatchObject({ status: 201 })
      return answer.json() as AddedSchedule
    },
    async tick(one, expected) {
      await vi.waitFor(async () => expect((await show(one)).last).toMatchObject(expected), waits)
      return show(one)
    },
  }
}

const daily = { type: 'time', cadence: 'daily 09:00' } as const
const never = { fromNext: true }

describe('a schedule', () => {
  test('is due at once, runs its loop, and knows its next moment', async () => {
    const { add, tick, name } = await openScene()
    const { schedule, driven } = await add(daily, { name, timeZone: 'Europe/Berlin' })
    expect({ driven, zone: schedule.timeZone }).toEqual({ driven: true, zone: 'Europe/Berlin' })
    const found = await tick(name, { status: 'ended', outcome: 'completed' })
    expect(found).toMatchObject({ health: 'ok', failures: 0, nextAtMs: expect.any(Number) })
    const run = (await daemon.ask('GET', `/runs/${found.last?.run}`)).json()
    expect(run).toMatchObject({
      state: { schedule: { name, tick: found.last?.tick } },
      run: { name: expect.stringMatching(/^chore\d+-\d{8}-\d{6}$/) },
    })
  })

  test('fails visibly while its loop file is not trusted as it is', async () => {
    const { add, tick, file, name } = await openScene()
    await add(daily, { ...never, name })
    writeFileSync(file, small.replace('Count.', 'Count again.'))
    await daemon.ask('POST', `/schedules/${name}/run`, {})
    const found = await tick(name, { status: 'failed' })
    expect(found.last?.reason).toContain('trust')
    await trustLoop(await previewLoop(file, daemon.state), daemon.state)
    await daemon.ask('POST', `/schedules/${name}/run`, {})
    expect(await tick(name, { status: 'ended' })).toMatchObject({ failures: 0 })
  })

  test('starts nothing over its daily cap', async () => {
    const { add, tick, name } = await openScene()
    await add(daily, { name, caps: { runs: 1 } })
    await tick(name, { status: 'ended' })
    await daemon.ask('POST', `/schedules/${name}/run`, {})
    const { last } = await tick(name, { status: 'skipped', code: 'cap' })
    expect(last?.reason).toContain('1 run')
  })

  test('gives a run no more than what is left of the day', async () => {
    const { add, tick, name } = await openScene()
    await add(daily, { name, caps: { costMicros: 1234, tokens: 5678 } })
    const { last } = await tick(name, { status: 'ended' })
    const found = (await daemon.ask('GET', `/runs/${last?.run}`)).json()
    expect(found).toMatchObject({ state: { limits: { costMicros: 1234, tokens: 5678 } } })
  })

  test('that fails alerts with the command of the user, once', async () => {
    const { add, tick, show, file, work, name } = await openScene()
    const told = join(work, 'told.txt')
    const notify = ['/bin/sh', '-c', `cat >> '${told}'`]
    await add(daily, { ...never, name, notify, alertAfter: 2 })
    writeFileSync(file, small.replace('Count.', 'Count again.'))
    for (const failures of [1, 2, 3]) {
      await daemon.ask('POST', `/schedules/${name}/run`, {})
      await tick(name, { status: 'failed' })
      expect(await show(name)).toMatchObject({ failures })
    }
    expect(await show(name)).toMatchObject({ health: 'failing' })
    await vi.waitFor(() => expect(readFileSync(told, 'utf8')).not.toBe(''), waits)
    const lines = readFileSync(told, 'utf8').trimEnd().split('\n')
    expect(lines).toEqual([
      expect.stringContaining(`Schedule "${name}": It failed 2 times in a row`),
    ])
  })

  test('is not due while all are paused', async () => {
    const { add, show, tick, name } = await openScene()
    await daemon.ask('POST', '/schedules/pause', { by: 'ann', reason: 'incident' })
    await add(daily, { name })
    const refused = await daemon.ask('POST', `/schedules/${name}/run`, {})
    expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('paused all') })
    expect(await show(name)).toMatchObject({ health: 'paused', ticks: [] })
    await daemon.ask('POST', '/schedules/resume', {})
    expect((await show(name)).ticks).toEqual([])
    await daemon.ask('POST', `/schedules/${name}/run`, {})
    await tick(name, { status: 'ended' })
  })

  test.each([
    [{ type: 'time', cadence: 'daily 25:00' }, {}, 'is not a time: use 00:00 to 23:59'],
    [{ type: 'time', cadence: '0 0 30 2 *' }, {}, 'never due'],
    [daily, { timeZone: 'Mars/Olympus' }, 'not a time zone'],
    [daily, { activeHours: '9-17' }, 'not active hours'],
    [daily, { name: 'Not A Name' }, 'use 1 to 40'],
    [{ type: 'branch', repository: '/', branch: 'main' }, {}, 'Cannot read'],
  ])('%j %j is refused: %s', async (trigger, more, reason) => {
    const { file, work } = await openScene()
    const request = { file, workspace: work, trigger, ...more }
    const answer = await daemon.ask('POST', '/schedules', request)
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining(reason) })
  })
})

describe('an event', () => {
  test('of a file that changed starts a run; the first look does not', async () => {
    const { add, show, tick, work, name } = await openScene()
    const path = join(work, 'watched.txt')
    await add({ type: 'file', path }, { name })
    expect((await show(name)).ticks).toEqual([])
    writeFileSync(path, 'new')
    await tick(name, { status: 'ended', outcome: 'completed' })
    expect((await show(name)).ticks).toHaveLength(1)
  })

  test('of a branch that moved starts a run', async () => {
    const { add, tick, work, name } = await openScene()
    makeRepository(work)
    await add({ type: 'branch', repository: work, branch: 'next' }, { name })
    const ref = join(work, '.git', 'refs', 'heads')
    writeFileSync(join(ref, 'next'), readFileSync(join(ref, 'main')))
    const { last } = await tick(name, { status: 'ended', outcome: 'completed' })
    expect(last?.tick).toMatch(/^change:/)
  })

  test('of a run that ended starts a run, but not without end', async () => {
    const { add, show, tick, file, work, name } = await openScene(small)
    const loop = (await add(daily, { ...never, name: `${name}-first` })).schedule.loop
    const mine = { type: 'run', loop, outcomes: ['completed'] } as const
    await add(mine, { name })
    await daemon.ask('POST', '/runs', { file, workspace: work })
    await tick(name, { status: 'skipped', code: 'chain' })
    await vi.waitFor(async () => {
      const ticks = (await show(name)).ticks ?? []
      expect(ticks.filter(({ status }) => status === 'ended')).toHaveLength(5)
    }, waits)
  })
})

describe('a webhook', () => {
  test('that is signed starts a run once', async () => {
    const { add, show, tick, name } = await openScene()
    const { secret = '' } = await add({ type: 'webhook' }, { name })
    const first = await send(daemon, secret, { name })
    expect([first.status, await first.json()]).toEqual([202, { schedule: name, accepted: true }])
    await tick(name, { status: 'ended', tick: 'webhook:msg-1' })
    expect(await (await send(daemon, secret, { name })).json()).toMatchObject({ accepted: false })
    expect((await show(name)).ticks).toHaveLength(1)
    expect(JSON.stringify(await show(name))).not.toContain('whsec_')
  })

  test('counts once however long its id is', async () => {
    const { add, show, tick, name } = await openScene()
    const { secret = '' } = await add({ type: 'webhook' }, { name })
    const accepted = async (id: string): Promise<unknown> => {
      const response = await send(daemon, secret, { name, id })
      return response.json()
    }
    const long = 'm'.repeat(1000)
    expect(await accepted(long)).toMatchObject({ accepted: true })
    await tick(name, { status: 'ended' })
    expect(await accepted(long)).toMatchObject({ accepted: false })
    expect((await show(name)).ticks).toHaveLength(1)
  })

  test('that is not signed, or not for a schedule, gets the answer of a request without a token', async () => {
    const { add, show, name } = await openScene()
    const { secret = '' } = await add({ type: 'webhook' }, { name })
    await add(daily, { ...never, name: `${name}-nightly` })
    const old = new Date(Date.now() - 360_000)
    const refused = await Promise.all([
      send(daemon, `whsec_${Buffer.from('another secret').toString('base64')}`, { name }),
      send(daemon, secret, { name, body: '{"event":"else"}' }),
      send(daemon, secret, { name, at: old }),
      send(daemon, secret, { name, at: new Date(Date.now() + 360_000) }),
      send(daemon, secret, { name: 'unknown' }),
      send(daemon, secret, { name: `${name}-nightly` }),
      fetch(`${daemon.address}/hooks/${name}`, { method: 'POST' }),
    ])
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401))
    expect((await show(name)).ticks).toEqual([])
  })

  test('opens no other door of the daemon', async () => {
    const { name } = await openScene()
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'a',
      'webhook-timestamp': '1',
      'webhook-signature': 'v1,x',
    }
    const paths = [
      '/schedules',
      '/runs',
      '/hooks/a/b',
      '/hooks/../runs',
      '/hooks/%2e%2e',
      '/hooks/a?b=1',
    ]
    for (const path of paths) {
      const answer = await fetch(`${daemon.address}${path}`, {
        method: 'POST',
        headers,
        body: '{}',
      })
      expect([path, answer.status]).toEqual([path, 401])
    }
    const looked = await fetch(`${daemon.address}/hooks/${name}`, { headers })
    expect(looked.status).toBe(401)
    const large = 'x'.repeat(70_000)
    const answer = await fetch(`${daemon.address}/hooks/a`, {
      method: 'POST',
      headers,
      body: large,
    })
    expect(answer.status).toBe(401)
    const page = await fetch(`${daemon.address}/hooks/a`, {
      method: 'POST',
      headers: { ...headers, origin: 'https://evil.example' },
      body: '{}',
    })
    expect(page.status).toBe(403)
  })
})

const round = `
loop: round
name: triage
intent: Say what is new.
level: 1
gather: [git-log]
agents:
  maker: { script: [[{ say: Nothing to do. }]] }
  checker: { script: [[{ say: It is fine. }]] }
prompt: List what changed.
`

test('E8: a chore that gathers is skipped while nothing is new, and costs nothing', async () => {
  const { add, tick, work, name } = await openScene(round)
  makeRepository(work)
  await add({ type: 'time', cadence: 'every 1s' }, { name })
  const found = await tick(name, { status: 'skipped', code: 'nothing-new' })
  const [run] = (found.ticks ?? []).filter(({ status }) => status === 'ended')
  expect(found.last?.reason).toBe(`nothing new since run "${run?.name}"`)
  await tick(name, { code: 'nothing-new', times: 2 })
  const before = (await daemon.ask('GET', `/runs?name=${name}-`)).json() as {
    readonly items: readonly object[]
  }
  expect(before.items).toHaveLength(1)
  execFileSync('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'second'], { cwd: work })
  await vi.waitFor(async () => {
    const runs = (await daemon.ask('GET', `/runs?name=${name}-`)).json() as {
      readonly items: readonly object[]
    }
    expect(runs.items).toHaveLength(2)
  }, waits)
})
