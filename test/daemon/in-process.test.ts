// The daemon's answers in this process, as `loopctl --no-daemon` requests them.

import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connectInProcess } from '../../src/client/in-process.ts'
import type { Client } from '../../src/client/index.ts'
import { type InProcess, openInProcess } from '../../src/daemon/in-process/open-in-process.ts'
import { operations } from '../../src/daemon/index.ts'
import { operationsFor } from '../../src/daemon/routes/operation-groups.ts'
import { routesFor } from '../../src/daemon/routes/routes-for.ts'
import { lockDaemon } from '../../src/host/lock-daemon.ts'
import type { RecordedEvent } from '../../src/loop/index.ts'
import { firstAfterStory } from '../after.ts'
import { newFolder, newHost } from '../host-fixture.ts'

interface Opened {
  readonly client: Client
  readonly here: InProcess
  readonly stop: AbortController
  readonly problems: string[]
}

async function open(folder: string): Promise<Opened> {
  const stop = new AbortController()
  const problems: string[] = []
  const here = await openInProcess({
    folder,
    signal: stop.signal,
    onLine: () => undefined,
    onProblem: (problem) => void problems.push(problem),
  })
  firstAfterStory(() => here.close())
  return { client: connectInProcess(here.answer, 'here'), here, stop, problems }
}

async function newRun(
  client: Client,
  agent: string,
): Promise<{ readonly run: { readonly id: string; readonly name: string } }> {
  const file = join(newFolder(), 'loop.yaml')
  writeFileSync(file, `name: small\nprompt: Work.\nagent: ${agent}\nchecks: { yes: "true" }\n`)
  const { digest } = await client.previewLoop(file)
  return client.createRun({ file, workspace: newFolder(), trust: digest, attended: true })
}

async function eventsOf(client: Client, run: string): Promise<readonly RecordedEvent['event'][]> {
  const found: RecordedEvent['event'][] = []
  for await (const { event } of client.events(run, { follow: false })) found.push(event)
  return found
}

describe('a run that is started in process', () => {
  test('is driven to its end here, beside a daemon whose lock and queue do not change', async () => {
    const folder = join(newFolder(), 'state')
    const host = await newHost(folder)
    const lock = lockDaemon(folder)
    firstAfterStory(() => lock.release())
    const before = readdirSync(join(folder, 'daemon')).toSorted()
    const { client, here } = await open(folder)
    const { run } = await newRun(client, '{ script: [[{ say: Done. }]] }')
    const types: string[] = []
    for await (const { event } of client.events(run.id)) types.push(event.type)
    expect(types.at(-1)).toBe('run-ended')
    expect(await here.driven(run.id)?.done).toMatchObject({ type: 'ended' })
    expect(await host.journal.queue.list()).toEqual([])
    expect(readdirSync(join(folder, 'daemon')).toSorted()).toEqual(before)
  })

  test('is suspended when its process is asked to end, and is in no queue', async () => {
    const folder = join(newFolder(), 'state')
    const { client, here, stop } = await open(folder)
    const { run } = await newRun(client, '{ command: [sleep, "600"] }')
    stop.abort()
    here.driven(run.id)?.shutDown({ now: true })
    expect(await here.driven(run.id)?.done).toMatchObject({ type: 'suspended' })
    expect((await eventsOf(client, run.id)).at(-1)?.type).toBe('run-suspended')
    expect(await here.host.journal.queue.list()).toEqual([])
    expect(await client.queue()).toEqual([])
    expect(existsSync(join(folder, 'daemon'))).toBe(false)
  })

  test('leaves nothing in the list if it cannot start', async () => {
    const { client } = await open(join(newFolder(), 'state'))
    await expect(newRun(client, '{ command: [no-such-program] }')).rejects.toMatchObject({
      code: 'not-configured',
    })
    expect((await client.runs()).items).toEqual([])
  })
})

test('an error arrives as it was thrown, with its class and its cause', async () => {
  const { client } = await open(join(newFolder(), 'state'))
  const cause = new Error('why')
  const failing = connectInProcess(async (_request, onError) => {
    onError(cause)
    return new Response('', { status: 500 })
  }, 'here')
  await expect(failing.runs()).rejects.toBe(cause)
  await expect(client.inspect('gone')).rejects.toMatchObject({ code: 'unknown-run' })
})

describe('every request has a principal', () => {
  const parts = { closing: new AbortController().signal } as Parameters<typeof routesFor>[0]
  const app = routesFor({ ...parts, log: { warn: () => undefined } as never }, operations)

  test('a request without one is always refused', async () => {
    for (const path of ['/runs', '/health', '/no-such-path']) {
      expect((await app.request(path)).status).toBe(401)
    }
  })

  test('a read-only one is refused everything that may change something', async () => {
    const principal = { type: 'token', scope: 'read' } as const
    const asked = { method: 'POST', body: '{}' }
    expect((await app.request('/runs', asked, { principal })).status).toBe(403)
    expect((await app.request('/health', {}, { principal })).status).toBe(200)
  })
})

test('every operation is in the group that its path belongs to', async () => {
  for (const { path, id } of operations) {
    const found = await operationsFor(path.replaceAll(/\{(\w+)\}/g, 'a-$1'))
    expect(found.map((one) => one.id)).toContain(id)
  }
})
