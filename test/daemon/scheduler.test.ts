// Runs that the daemon gets: accepted, queued, driven, and resumed by the next daemon.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Log,
  openScheduler,
  type Scheduler,
  type SchedulerOptions,
} from '../../src/daemon/index.ts'
import type { QueueRow } from '../../src/engine/index.ts'
import { finishRunFolder } from '../../src/history/run-folder/index.ts'
import { type Host, previewLoop, trustLoop } from '../../src/host/index.ts'
import { isLoopError, type RunId } from '../../src/loop/index.ts'
import type { QueueEntry } from '../../src/protocol/api/index.ts'
import { getDaemonFiles } from '../../src/system/daemon-files.ts'
import { firstAfterStory } from '../after.ts'
import { newFolder, newHost, slow } from '../host-fixture.ts'

const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const settings = { maxConcurrentRuns: 3, maxRunsPerWorkspace: 1, queuePolicy: 'fifo' } as const

const atOnce = '{ script: [[{ say: Done. }]] }'
const never = '{ command: [sleep, "600"] }'

async function loopFile(host: Host, agent: string): Promise<string> {
  const file = join(newFolder(), 'loop.yaml')
  writeFileSync(file, `name: small\nprompt: Work.\nagent: ${agent}\nchecks: { yes: "true" }\n`)
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  return file
}

async function open(
  host: Host,
  given: Partial<SchedulerOptions['settings']> = {},
  beside: Pick<SchedulerOptions, 'follow' | 'finish' | 'secrets'> = {},
): Promise<Scheduler> {
  const all = { ...settings, ...given }
  const scheduler = await openScheduler({ host, log: quiet, settings: all, ...beside })
  firstAfterStory(() => scheduler.drain(AbortSignal.abort()))
  return scheduler
}

/** How it ended, or why it was interrupted. */
async function left(host: Host, run: RunId, afterSeq = 0): Promise<string> {
  for await (const { event } of host.events(run, { afterSeq })) {
    if (event.type === 'run-ended') return event.outcome.type
    if (event.type === 'run-suspended') return event.reason
  }
  throw new Error('Its events are over.')
}

async function until(host: Host, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise<void>((resolve) => {
      const stop = host.journal.watch('events', end)
      const timer = setTimeout(end, 50)
      function end(): void {
        clearTimeout(timer)
        stop()
        resolve()
      }
    })
  }
}

const started = (host: Host, scheduler: Scheduler, run: RunId): Promise<void> =>
  until(host, () => scheduler.entry(run)?.state === 'driven').then(async () => {
    for await (const { event } of host.events(run)) if (event.type === 'step-started') return
  })

describe('a run that was accepted', () => {
  test('is driven to its end, and leaves the queue', async () => {
    const host = await newHost()
    const scheduler = await open(host)
    const file = await loopFile(host, atOnce)
    const { run, isNew } = await scheduler.submit({ file, workspace: newFolder() })
    expect(isNew).toBe(true)
    expect(run.status).toBe('pending')
    expect(scheduler.entry(run.id)).toBeDefined()
    expect(await left(host, run.id)).toBe('completed')
    await until(host, () => scheduler.queue().length === 0)
    expect(await host.journal.queue.list()).toEqual([])
  })

  test('does not reveal the tokens of its daemon', async () => {
    const host = await newHost()
    const [given, kept] = ['given-token-0123456789', 'kept-token-0123456789']
    const place = getDaemonFiles(host.folder)
    mkdirSync(place.folder)
    writeFileSync(place.token, `${kept}\n`, { mode: 0o600 })
    const scheduler = await open(host, {}, { secrets: () => [given] })
    const file = await loopFile(host, `{ script: [[{ say: "${given} ${kept} and that" }]] }`)
    const { run } = await scheduler.submit({ file, workspace: newFolder() })
    expect(await left(host, run.id)).toBe('completed')
    const said = JSON.stringify(await host.journal.read(run.id))
    expect(said).toContain('and that')
    for (const token of [given, kept]) expect(said).not.toContain(token)
  })

  test('is the one that its key created before; another request with that key is refused', async () => {
    const host = await newHost()
    const scheduler = await open(host, { maxConcurrentRuns: 0 })
    const request = { file: await loopFile(host, atOnce), workspace: newFolder() }
    const [first, second] = await Promise.all([
      scheduler.submit(request, 'k1'),
      scheduler.submit(request, 'k1'),
    ])
    expect([first.isNew, second.isNew]).toEqual([true, false])
    expect(second.run.id).toBe(first.run.id)
    const other = await scheduler.submit({ ...request, again: true }, 'k1').catch((e: unknown) => e)
    expect(isLoopError(other, 'key-reused')).toBe(true)
    expect(await host.list()).toHaveLength(1)
  })

  test('leaves nothing behind if it was refused', async () => {
    const host = await newHost()
    const scheduler = await open(host)
    const file = join(newFolder(), 'untrusted.yaml')
    writeFileSync(file, `prompt: x\nagent: ${atOnce}\nchecks: { yes: "true" }\n`)
    const asked = { file, workspace: newFolder() }
    const untrusted = await scheduler.submit(asked, 'k').catch((error: unknown) => error)
    expect(isLoopError(untrusted, 'not-trusted')).toBe(true)
    const wrong = await scheduler
      .submit({ ...asked, trust: 'abc' })
      .catch((error: unknown) => error)
    expect(isLoopError(wrong, 'not-trusted')).toBe(true)
    const relative = await scheduler.submit({ file: 'a.yaml' }).catch((error: unknown) => error)
    expect(isLoopError(relative, 'bad-request')).toBe(true)
    expect(await host.list()).toEqual([])
    const { digest } = await previewLoop(file, host.folder)
    expect((await scheduler.submit({ ...asked, trust: digest }, 'k')).isNew).toBe(true)
  })
})

describe('a run over the limit', () => {
  const whys = (scheduler: Scheduler): readonly unknown[] =>
    scheduler.queue().map(({ state, position, waitsFor }: QueueEntry) => ({
      state,
      ...(position === undefined ? {} : { position }),
      ...(waitsFor === undefined ? {} : { waitsFor }),
    }))

  test('waits, says for what, and can be paused, cancelled and rewound at once', async () => {
    const host = await newHost()
    const scheduler = await open(host)
    const file = await loopFile(host, never)
    const workspace = newFolder()
    const submit = async (): Promise<RunId> => (await scheduler.submit({ file, workspace })).run.id
    const first = await submit()
    await started(host, scheduler, first)
    const [second, third, fourth] = [await submit(), await submit(), await submit()]
    expect(whys(scheduler)).toEqual([
      { state: 'driven' },
      { state: 'queued', position: 1, waitsFor: 'workspace' },
      { state: 'queued', position: 2, waitsFor: 'workspace' },
      { state: 'queued', position: 3, waitsFor: 'workspace' },
    ])
    const { name } = await host.journal.findRun(first)
    expect(scheduler.entry(second)?.why).toBe(`waiting for workspace ${workspace} (${name})`)
    await host.sendDecision(second, { type: 'pause' }, 'somebody')
    await host.sendDecision(third, { type: 'cancel', reason: 'not any more' }, 'somebody')
    await scheduler.release(fourth)
    await until(host, () => scheduler.queue().length === 1)
    expect((await host.journal.findRun(second)).status).toBe('paused')
    expect((await host.journal.findRun(third)).status).toBe('cancelled')
    expect((await host.journal.findRun(fourth)).status).toBe('pending')
    await scheduler.enqueue(second)
    expect(scheduler.entry(second)?.position).toBe(1)
    await host.sendDecision(first, { type: 'cancel', reason: 'enough' }, 'somebody')
    await started(host, scheduler, second)
    expect(scheduler.queue().map(({ run }) => run)).toEqual([second])
  })
})

describe('a run that cannot continue', () => {
  test('says why and what to do, and waits until a person resumes it', async () => {
    const host = await newHost()
    const first = await open(host, { maxConcurrentRuns: 0 })
    const file = await loopFile(host, atOnce)
    const { run } = await first.submit({ file, workspace: newFolder() })
    await first.drain()
    renameSync(file, `${file}.away`)
    const scheduler = await open(host)
    expect(await left(host, run.id)).toContain(`gone: ${file}. Restore it`)
    await until(host, () => scheduler.queue().length === 0)
    renameSync(`${file}.away`, file)
    const trusted = readFileSync(file)
    writeFileSync(file, `${trusted.toString()}# changed`)
    let { lastSeq } = await host.journal.findRun(run.id)
    await scheduler.enqueue(run.id)
    expect(await left(host, run.id, lastSeq)).toMatch(/allow it: loopctl trust \S+$/)
    await until(host, () => scheduler.queue().length === 0)
    writeFileSync(file, trusted)
    lastSeq = (await host.journal.findRun(run.id)).lastSeq
    await scheduler.enqueue(run.id)
    expect(await left(host, run.id, lastSeq)).toBe('completed')
  })

  test('is retried later if the problem is temporary', async () => {
    const host = await newHost()
    const scheduler = await open(host)
    const workspace = newFolder()
    const other = await host.start(slow, { input: null, workspace })
    const file = await loopFile(host, atOnce)
    const { run } = await scheduler.submit({ file, workspace })
    await until(host, () => scheduler.entry(run.id)?.waitsFor === 'time')
    expect(scheduler.entry(run.id)?.why).toContain(`Run "${other.name}" is running`)
    expect(scheduler.entry(run.id)?.retryAtMs).toBeGreaterThan(Date.now())
    other.shutDown({ now: true })
    await other.done
    // A person need not wait for that.
    await scheduler.enqueue(run.id)
    expect(await left(host, run.id)).toBe('completed')
  })
})

describe('the next daemon', () => {
  test('continues with running and waiting runs', async () => {
    const host = await newHost()
    const first = await open(host, { maxConcurrentRuns: 1 })
    const file = await loopFile(host, never)
    const working = (await first.submit({ file, workspace: newFolder() })).run.id
    const waiting = (await first.submit({ file, workspace: newFolder() })).run.id
    await started(host, first, working)
    await first.drain(AbortSignal.abort())
    const refused = await first.submit({ file }).catch((error: unknown) => error)
    expect(isLoopError(refused, 'not-available')).toBe(true)
    expect((await host.journal.findRun(working)).status).toBe('suspended')
    const next = await open(host, { maxConcurrentRuns: 2 })
    expect(next.queue().map(({ run }) => run)).toEqual([working, waiting])
    await started(host, next, waiting)
    expect((await host.journal.findRun(working)).held).toBe(true)
  })
})

describe('a retry', () => {
  test('is a separate run with its own name, from the last checkpoint, in the same place', async () => {
    const host = await newHost()
    const scheduler = await open(host)
    const workspace = newFolder()
    const file = await loopFile(host, never)
    const { run } = await scheduler.submit({ file, workspace, name: 'try' })
    await started(host, scheduler, run.id)
    const early = await scheduler.retry(run.id).catch((error: unknown) => error)
    expect(isLoopError(early, 'wrong-status')).toBe(true)
    await host.sendDecision(run.id, { type: 'cancel', reason: 'wrong' }, 'somebody')
    expect(await left(host, run.id)).toBe('cancelled')
    writeFileSync(join(workspace, 'mine.txt'), 'kept')
    const again = await scheduler.retry(run.id)
    expect(again.run.name).toBe('try-2')
    expect(again.run.workspace).toBe(workspace)
    await started(host, scheduler, again.run.id)
    const { state } = await host.inspect(again.run.id)
    expect(state.origin).toEqual({ type: 'fork', run: run.id, iteration: 0 })
    expect(readFileSync(join(workspace, 'mine.txt'), 'utf8')).toBe('kept')
    await host.sendDecision(again.run.id, { type: 'cancel', reason: 'wrong' }, 'somebody')
    expect(await left(host, again.run.id)).toBe('cancelled')
    await until(host, () => scheduler.queue().length === 0)
    expect((await scheduler.retry(again.run.id)).run.name).toBe('try-3')
  })
})

describe('the files of a run that has ended', () => {
  test('are completed before the daemon ends', async () => {
    const host = await newHost()
    const order: string[] = []
    const file = await loopFile(host, atOnce)
    await new Promise<void>((resolve) => {
      const stop = async (): Promise<void> => {
        void scheduler.then((one) => one.drain().then(() => resolve(void order.push('drained'))))
        await new Promise(setImmediate)
        order.push('written')
      }
      const scheduler = open(host, {}, { follow: () => ({ stop }) })
      void scheduler.then((one) => one.submit({ file, workspace: newFolder() }))
    })
    expect(order).toEqual(['written', 'drained'])
  })

  test('are written by the next daemon if the previous one was killed before', async () => {
    const host = await newHost()
    const first = await open(host)
    const workspace = newFolder()
    const file = await loopFile(host, atOnce)
    const { id } = (await first.submit({ file, workspace })).run
    const [row] = await host.journal.queue.list()
    expect(await left(host, id)).toBe('completed')
    await first.drain()
    const summaries = [join(host.folder, 'runs'), join(workspace, 'logs/loop')].map((folder) =>
      join(folder, `run-${id}`, 'summary.json'),
    )
    expect(summaries.map((path) => existsSync(path))).toEqual([false, false])
    await host.journal.queue.put(id, row as QueueRow)
    const finish = (run: RunId): Promise<void> => finishRunFolder(host, run)
    await (await open(host, {}, { finish })).drain()
    expect(summaries.map((path) => existsSync(path))).toEqual([true, true])
    expect(await host.journal.queue.list()).toEqual([])
  })
})
