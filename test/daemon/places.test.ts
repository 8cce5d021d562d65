// Where runs of the daemon work, and which of them work at the same time.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Log, openScheduler, type Scheduler } from '../../src/daemon/index.ts'
import { readSettings } from '../../src/daemon/settings.ts'
import { type Host, previewLoop, trustLoop } from '../../src/host/index.ts'
import type { RunId } from '../../src/loop/index.ts'
import { firstAfterStory } from '../after.ts'
import { newFolder, newHost } from '../host-fixture.ts'
import { newRepository } from '../worktree-fixture.ts'

const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function loopFile(host: Host): Promise<string> {
  const file = join(newFolder(), 'loop.yaml')
  const agent = '{ command: [sleep, "600"] }'
  writeFileSync(file, `name: small\nprompt: Work.\nagent: ${agent}\nchecks: { yes: "true" }\n`)
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  return file
}

/** With the settings that hold where nothing is set. */
async function openDefault(host: Host): Promise<Scheduler> {
  const home = newFolder()
  const { settings } = await readSettings([], { HOME: home, XDG_CONFIG_HOME: home })
  const scheduler = await openScheduler({ host, log: quiet, settings })
  firstAfterStory(() => scheduler.drain(AbortSignal.abort()))
  return scheduler
}

async function started(host: Host, run: RunId): Promise<void> {
  for await (const { event } of host.events(run)) if (event.type === 'step-started') return
}

test('several runs in one repository work at once, each in its worktree beside it', async () => {
  const host = await newHost()
  const scheduler = await openDefault(host)
  const file = await loopFile(host)
  const { checkout } = newRepository()
  const names = ['first', 'second']
  for (const name of names) {
    const { run } = await scheduler.submit({ file, workspace: checkout, name })
    await started(host, run.id)
  }
  const queue = scheduler.queue()
  expect(queue.map(({ name, state }) => [name, state])).toEqual([
    ['first', 'driven'],
    ['second', 'driven'],
  ])
  // The template of document 002: ../{{ repo }}.{{ run_branch | sanitize }}
  expect(queue.map(({ place }) => place)).toEqual(names.map((name) => `${checkout}.run-${name}`))
  for (const { place = '' } of queue) expect(existsSync(join(place, '.git'))).toBe(true)
})

test('runs that work in the same folder itself take turns', async () => {
  const host = await newHost()
  const scheduler = await openDefault(host)
  const file = await loopFile(host)
  const request = { file, workspace: newRepository().checkout, worktree: { use: false } }
  const { run } = await scheduler.submit({ ...request, name: 'first' })
  await started(host, run.id)
  await scheduler.submit({ ...request, name: 'second' })
  expect(scheduler.queue()).toMatchObject([
    { name: 'first', state: 'driven' },
    { name: 'second', state: 'queued', waitsFor: 'workspace' },
  ])
})
