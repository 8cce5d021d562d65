// Runs that come to the daemon: accepted, queued, driven, and taken up again by the next one.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Log, openScheduler, type Scheduler } from '../../src/daemon/index.ts'
import { type Host, previewLoop, trustLoop } from '../../src/host/index.ts'
import { isLoopError, type RunId } from '../../src/loop/index.ts'
import { afterStory } from '../after.ts'
import { newFolder, newHost } from '../host-fixture.ts'

const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const settings = { maxConcurrentRuns: 3, maxRunsPerWorkspace: 1, queuePolicy: 'fifo' } as const

/** One iteration that leaves a line in a file. */
async function loopFile(host: Host, script = 'echo line >> lines.txt'): Promise<string> {
  const file = join(newFolder(), 'lines.yaml')
  const text = `name: lines
prompt: Add a line.
agent: { command: [sh, -c, ${JSON.stringify(script)}] }
checks:
  there: test -s lines.txt
`
  writeFileSync(file, text)
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  return file
}

async function open(host: Host, given: Partial<typeof settings> = {}): Promise<Scheduler> {
  const scheduler = await openScheduler({ host, log: quiet, settings: { ...settings, ...given } })
  afterStory(() => scheduler.drain())
  return scheduler
}

async function ended(host: Host, run: RunId): Promise<string> {
  for await (const { event } of host.events(run)) {
    if (event.type === 'run-ended') return event.outcome.type
    if (event.type === 'run-suspended') return event.reason
  }
  throw new Error('no end')
}

test('a run that was accepted is driven to its end, and leaves the queue', async () => {
  const host = await newHost()
  const scheduler = await open(host)
  const workspace = newFolder()
  const file = await loopFile(host)
  const { run, isNew } = await scheduler.submit({ file, workspace, attended: true })
  expect(isNew).toBe(true)
  expect(run.status).toBe('pending')
  expect(await ended(host, run.id)).toBe('completed')
  expect(readFileSync(join(workspace, 'lines.txt'), 'utf8')).toBe('line\n')
})

test('the same key is the same run, and another request by it is refused', async () => {
  const host = await newHost()
  const scheduler = await open(host)
  const request = { file: await loopFile(host), workspace: newFolder(), attended: true }
  const [first, second] = await Promise.all([
    scheduler.submit(request, 'k1'),
    scheduler.submit(request, 'k1'),
  ])
  expect(second.run.id).toBe(first.run.id)
  expect(first.isNew).toBe(true)
  expect(second.isNew).toBe(false)
  const other = await scheduler.submit({ ...request, again: true }, 'k1').catch((e: unknown) => e)
  expect(isLoopError(other, 'key-reused')).toBe(true)
  expect(await host.list()).toHaveLength(1)
})
