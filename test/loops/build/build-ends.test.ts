// E2, E3, E9: a build killed at any moment ends as if it had not been; one that repeats itself is stopped; a long plan stays cheap.

import { describe, expect, test } from 'vitest'
import type { RecordedEvent } from '../../../src/loop/index.ts'
import { type MemoryWorkspace, moments, worldAfter } from '../../engine/fixture.ts'
import { share } from '../../share.ts'
import {
  approve,
  type BuildStory,
  createBuild,
  type Maker,
  planPath,
  playBuild,
  type Reviewer,
  tasks,
  verdict,
  writeTask,
} from './build-fixture.ts'

const complete = { type: 'completed', condition: 'all(plan-complete, checks-pass)' }

/** The files according to the last event that names a tree. */
function filesAt(
  events: readonly RecordedEvent[],
  trees: MemoryWorkspace['trees'],
): Record<string, string> {
  const named = events.flatMap(({ event }) =>
    'tree' in event && event.tree !== undefined ? [event.tree] : [],
  )
  const tree = named.at(-1)
  return Object.fromEntries(tree === undefined ? [] : (trees.get(tree) ?? []))
}

/** Agents that depend only on what they are shown, so that a repeated attempt does the same. */
const stories: Readonly<Record<string, BuildStory>> = {
  'a failing review, a failing check and a proposal': {
    plan: tasks(2),
    maker(scene) {
      if (scene.iteration === 1)
        scene.files.set(planPath, `${scene.files.get(planPath)}- [ ] Polish\n`)
      return writeTask({ ...scene, task: scene.prompt.includes('empty cart') ? 9 : scene.task })
    },
    reviewer: (scene) =>
      scene.iteration === 1 ? verdict(scene.token, 'fail', 'empty cart') : approve(scene),
    check: (files) => files.has('src/task-1.js'),
  },
  'a draft, an unclear review and a blocked task': {
    plan: '',
    maker(scene) {
      if (scene.task === 0) scene.files.set(planPath, tasks(2))
      return scene.task === 1 && scene.iteration === 2
        ? { status: 'blocked', text: 'no key' }
        : writeTask(scene)
    },
    reviewer: (scene) => (scene.iteration === 3 ? 'Fine!' : approve(scene)),
  },
  'a rewrite by the watchdog': {
    plan: tasks(1),
    maker: (scene) =>
      scene.prompt.includes('## Change your approach')
        ? writeTask(scene)
        : { status: 'failed', text: 'I am stuck.' },
  },
}

describe('killed at any moment and resumed, a build ends as if it had not been', () => {
  test.each(Object.entries(stories))('%s', async (_name, story) => {
    const trees: MemoryWorkspace['trees'] = new Map()
    const build = createBuild(story, trees)
    const { world, loop, input, workspace } = build
    const run = await world.start(loop, { input, workspace: '/memory', limits: { iterations: 30 } })
    await world.finish(run, loop)
    const state = await world.state(run)
    const events = await world.events(run)
    expect(state.outcome).toEqual(complete)
    const all = moments(events).slice(0, -1)
    const stride = share(1, 20)
    for (const moment of all.filter((_one, index) => index % stride === 0)) {
      const again = createBuild(story, trees, filesAt(events.slice(0, moment), trees))
      const { startMs: _start, ...ports } = { startMs: 0, ...again.world.ports }
      const { journal: _journal, blobs: _blobs, clock: _clock, ...parts } = ports
      const other = await worldAfter(events, moment, parts)
      await other.finish(run, again.loop)
      const ended = await other.state(run)
      expect(ended.outcome).toEqual(state.outcome)
      expect(ended.iteration).toBe(state.iteration)
      expect(ended.progress).toEqual(state.progress)
      expect(Object.fromEntries(again.workspace.files)).toEqual(Object.fromEntries(workspace.files))
    }
  })
})

describe('an agent that repeats itself is stopped', () => {
  test.each<[string, Maker, string, number]>([
    ['does nothing', () => ({ status: 'failed', text: 'Working on it.' }), 'no_progress', 4],
    ['stalls', () => ({ status: 'failed', ended: 'idle', text: '' }), 'no_progress', 3],
    [
      'flips the same edit',
      ({ files, iteration }) => {
        files.set('src/a.js', iteration % 2 === 0 ? 'one\n' : 'two\n')
        return { status: 'failed', text: `Attempt ${iteration} at it.` }
      },
      'circular_diff',
      5,
    ],
    [
      'does the same over and over',
      ({ files }) => {
        files.set('src/a.js', `${files.get('src/a.js') ?? ''}same\n`)
        return { status: 'failed', text: 'Not done yet.' }
      },
      'repeated_task',
      4,
    ],
  ])('that %s', async (_what, maker, signal, iterations) => {
    const { state, prompts } = await playBuild({
      maker,
      files: { 'src/a.js': 'one\n' },
      iterations: 60,
    })
    expect(state.outcome).toEqual({
      type: 'stuck',
      condition: `watchdog_failed:${signal}`,
      detail: 'it happened again after 2 rewrites of the prompt',
    })
    expect(state.iteration).toBe(iterations)
    const rewritten = prompts.filter(({ prompt }) => prompt.includes('## Change your approach'))
    expect(rewritten).toHaveLength(2)
  })

  test('but not without a watchdog: then the limits apply', async () => {
    const maker: Maker = ({ iteration }) => ({ status: 'failed', text: `Later, ${iteration}.` })
    const { state } = await playBuild({ maker, settings: { watchdog: false }, iterations: 7 })
    expect(state.outcome).toMatchObject({ type: 'exhausted', limit: 'iterations' })
  })
})

test('a failure of the base does not fail a task while others are left, but the last one', async () => {
  const check = (files: ReadonlyMap<string, string>) => files.has('src/task-3.js')
  const { state } = await playBuild({ check, failedBefore: true })
  expect(state.outcome).toEqual(complete)
  expect(state.iteration).toBe(3)
  const never = await playBuild({ check: () => 'still broken', failedBefore: true })
  expect(never.state.outcome).toMatchObject({ type: 'stuck', condition: 'verification-failures' })
  expect(never.state.iteration).toBe(5)
  // A check that the run fixed must stay fixed.
  const flips = await playBuild({
    check: (files) => files.has('src/task-1.js') && !files.has('src/task-2.js'),
    failedBefore: true,
  })
  expect(flips.state.outcome).toMatchObject({ type: 'stuck', condition: 'verification-failures' })
  expect(flips.state.iteration).toBe(4)
})

test('a long plan is built at a flat cost, with bounded prompts, and the watchdog stays silent', async () => {
  const count = share(60, 16)
  const spec = `# Shop\n\n${'A long paragraph about the shop. '.repeat(5000)}\n`
  // Every task takes two iterations, and all reports are alike.
  const reviewer: Reviewer = ({ token, iteration }) =>
    iteration % 2 === 1 ? verdict(token, 'fail', 'Not complete.') : verdict(token, 'pass')
  const maker: Maker = ({ task, files, iteration }) => {
    files.set(`src/task-${task}.js`, `// ${iteration}\n${'line\n'.repeat(2000)}`)
    return 'Implemented the task as the plan says.'
  }
  const { state, prompts, progress, world, run } = await playBuild({
    plan: tasks(count),
    spec,
    maker,
    reviewer,
    iterations: 2 * count,
  })
  expect(state.outcome).toEqual(complete)
  expect(state.iteration).toBe(2 * count)
  expect(progress.watchdog.rewrites).toBe(0)
  const sizes = prompts.filter(({ role }) => role === 'maker').map(({ prompt }) => prompt.length)
  expect(Math.max(...sizes)).toBeLessThan(60_000)
  expect(Math.max(...sizes.slice(-10)) / Math.max(...sizes.slice(2, 12))).toBeLessThan(1.1)
  expect(JSON.stringify(progress).length).toBeLessThan(20_000 + count * 200)
  const ends = await world.only(run, 'iteration-ended')
  const written = ends.map((event) => JSON.stringify(event).length)
  expect(Math.max(...written.slice(-10))).toBeLessThan(2 * Math.max(...written.slice(2, 12)))
})
