// Where runs of the daemon work, and which of them work at the same time.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Log, openScheduler, type Scheduler } from '../../src/daemon/index.ts'
import { readSettings } from '../../src/daemon/settings.ts'
import { type Host, previewLoop, trustLoop } from '../../src/host/index.ts'
import type { RunId } from '../../src/loop/index.ts'
import { firstAfterStory } from '../after.ts'
import { newFolder, newHost } from '../host-fixture.ts'
import { newRepository } from '../worktree-fixture.ts'

const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function loopFile(
  host: Host,
  agent = '{ command: [sleep, "600"] }',
  checks = '{ yes: "true" }',
): Promise<string> {
  const file = join(newFolder(), 'loop.yaml')
  writeFileSync(file, `name: small\nprompt: Work.\nagent: ${agent}\nchecks: ${checks}\n`)
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  return file
}

/** With the default settings. */
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

test('runs that work in the same folder run one after another', async () => {
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

describe('a folder inside a repository', () => {
  const files = {
    'packages/a/a.js': 'export const a = 1\n',
    'packages/a/a.test.js':
      "import assert from 'node:assert'\nimport test from 'node:test'\nimport { a } from './a.js'\ntest('a', () => assert.equal(a, 2))\n",
    'packages/a/package.json': '{"type":"module"}',
    'packages/b/b.js': 'export const b = 1\n',
  }
  const agent = '{ command: [sh, -c, "echo export const a = 2 > a.js; ls ../b"] }'

  test('is where agent and checks of a worktree of the whole repository start', async () => {
    const host = await newHost()
    const scheduler = await openDefault(host)
    const repository = newRepository(files)
    const file = await loopFile(host, agent, '{ test: "node --test" }')
    const workspace = join(repository.checkout, 'packages/a')
    const { run } = await scheduler.submit({ file, workspace, name: 'mono' })
    const { worktree } = (await host.inspect(run.id)).state
    expect(worktree?.folder).toBe('packages/a')
    expect(run.workspace).toBe(`${repository.checkout}.run-mono`)
    expect(await ended(host, run.id)).toBe('completed')
    const { patch } = await host.diff(run.id)
    expect(patch).toContain('packages/a/a.js')
    // Your own files stay as they were.
    expect(readFileSync(join(workspace, 'a.js'), 'utf8')).toBe(files['packages/a/a.js'])
    await host.merge(run.id, { into: 'agent/small' })
    const landed = repository.git('show', 'agent/small:packages/a/a.js')
    expect(landed).toBe('export const a = 2\n')
  })

  test('is refused if the run would start from a commit without it', async () => {
    const host = await newHost()
    const scheduler = await openDefault(host)
    const repository = newRepository(files)
    writeFileSync(join(repository.checkout, '.git/info/exclude'), 'scratch/\n')
    const workspace = join(repository.checkout, 'scratch')
    mkdirSync(workspace)
    const file = await loopFile(host, agent)
    await expect(scheduler.submit({ file, workspace })).rejects.toThrow(
      /scratch is not in .*--in-place/,
    )
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(await host.list()).toEqual([])
  })
})

async function ended(host: Host, run: RunId): Promise<string> {
  for await (const { event } of host.events(run)) {
    if (event.type === 'run-ended') return event.outcome.type
    if (event.type === 'run-suspended') return event.reason
  }
  throw new Error('Its events are over.')
}
