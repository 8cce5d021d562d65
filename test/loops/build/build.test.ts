// Builds in memory, with a scripted maker and reviewer: how a plan is worked through, and how a build ends.

import { describe, expect, test } from 'vitest'
import { completionDefaults } from '../../../src/loops/build/completion-hint.ts'
import {
  approve,
  type Maker,
  planPath,
  playBuild,
  type Reviewer,
  tasks,
  verdict,
  writeTask,
} from './build-fixture.ts'

const complete = { type: 'completed', condition: 'all(plan-complete, checks-pass)' }
const part = (number: number): string => `src/task-${number}.js`

describe('a build', () => {
  test('does one task per iteration, has each reviewed, and completes certified', async () => {
    const { state, workspace, prompts, progress } = await playBuild({})
    expect(state.outcome).toEqual(complete)
    expect(state.iteration).toBe(3)
    expect(workspace.files.get(planPath)).toBe(tasks(3).replaceAll('[ ]', '[R]'))
    expect(prompts.map(({ role }) => role)).toEqual(
      Array.from({ length: 3 }, () => ['maker', 'reviewer']).flat(),
    )
    expect(progress.failures).toEqual({ review: 0, verification: 0, draft: 0 })
  })

  test('without a review needs only the checks', async () => {
    const { state, workspace, prompts } = await playBuild({ settings: { review: false } })
    expect(state.outcome).toEqual(complete)
    expect(prompts.every(({ role }) => role === 'maker')).toBe(true)
    expect(workspace.files.get(planPath)).toBe(tasks(3).replaceAll('[ ]', '[x]'))
  })

  test('starts where the marks of the plan are: reviews what awaits it, and retries what is blocked', async () => {
    const plan = '- [R] a\n- [x] b\n- [~] c\n- [ ] d\n- [ ]? e\n'
    const { state, workspace, prompts } = await playBuild({ plan })
    expect(state.outcome).toEqual(complete)
    expect(prompts.map(({ role }) => role)).toEqual([
      'reviewer',
      'maker',
      'reviewer',
      'maker',
      'reviewer',
    ])
    expect(workspace.files.get(planPath)).toBe('- [R] a\n- [R] b\n- [R] c\n- [R] d\n- [ ]? e\n')
  })

  test('shows the specification, the task and the plan around it, and nothing of other iterations', async () => {
    const { prompts } = await playBuild({ spec: '# Shop\n\nA cart.\n' })
    const [first, , second] = prompts.map(({ prompt }) => prompt)
    expect(first).toContain('## Specification (specs/shop.md)\n\n# Shop\n\nA cart.')
    expect(first).toContain('## Your task (1 of 3, 0 done)\n\nWrite part 1')
    expect(first).toContain('- [ ] Write part 1  <- your task\n- [ ] Write part 2')
    expect(second).toContain('## Your task (2 of 3, 1 done)\n\nWrite part 2')
    expect(second).toContain('- [R] Write part 1\n- [ ] Write part 2  <- your task')
  })
})

describe('verification', () => {
  test('that fails sends the last 120 lines to the next iteration, and opens the task again', async () => {
    const output = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`).join('\n')
    let runs = 0
    const { state, prompts, workspace } = await playBuild({
      check: () => {
        runs += 1
        return runs === 1 ? output : true
      },
    })
    expect(state.outcome).toEqual(complete)
    expect(state.iteration).toBe(4)
    const makers = prompts.filter(({ role }) => role === 'maker').map(({ prompt }) => prompt)
    expect(makers[1]).toContain('## Your task (1 of 3, 0 done)')
    expect(makers[1]).toContain('> line 181\n')
    expect(makers[1]).toContain('> line 300')
    expect(makers[1]).not.toContain('> line 180\n')
    expect(makers[2]).not.toContain('line 300')
    expect(workspace.files.get(planPath)).toBe(tasks(3).replaceAll('[ ]', '[R]'))
  })

  test('that always fails ends the run, without a rewrite by the watchdog', async () => {
    const { state, progress } = await playBuild({ check: () => 'boom' })
    expect(state.outcome).toEqual({
      type: 'stuck',
      condition: 'verification-failures',
      detail: '3 verifications in a row failed: test',
    })
    expect(progress.watchdog.rewrites).toBe(0)
    expect(progress.plan?.tasks[0]?.mark).toBe('open')
  })
})

describe('the plan', () => {
  test('is not completed by deleting it, its tasks or its file', async () => {
    const texts = [
      undefined,
      '',
      '- [R] Write part 1\n',
      tasks(3).replaceAll('[ ]', '[R]'),
      '# Done\n',
    ]
    for (const text of texts) {
      const maker: Maker = (scene) => {
        const { files, iteration } = scene
        if (text === undefined) files.delete(planPath)
        else files.set(planPath, text)
        if (iteration < 3) return `Nothing to see, ${iteration}.`
        return writeTask(scene)
      }
      const reviewer: Reviewer = (scene) =>
        scene.iteration < 3 ? verdict(scene.token, 'fail', 'Nothing was done.') : approve(scene)
      const { state, workspace } = await playBuild({ maker, reviewer })
      expect(state.outcome).toEqual(complete)
      expect(workspace.files.get(planPath)).toBe(tasks(3).replaceAll('[ ]', '[R]'))
      expect([1, 2, 3].every((number) => workspace.files.has(part(number)))).toBe(true)
    }
  })

  test('keeps its tasks if agents change them: people are asked once, at the end', async () => {
    const maker: Maker = (scene) => {
      scene.files.set(planPath, `${scene.files.get(planPath)}- [ ] Polish ${scene.task}\n`)
      return writeTask(scene)
    }
    const { state, world, run, workspace } = await playBuild({ maker })
    expect(state.outcome).toEqual(complete)
    expect(workspace.files.get(planPath)).toBe(tasks(3).replaceAll('[ ]', '[R]'))
    const asked = (await world.only(run, 'step-started')).filter(
      ({ question }) => question !== undefined,
    )
    expect(asked).toHaveLength(1)
    expect(asked[0]?.iteration).toBe(3)
    expect(asked[0]?.question).toMatchObject({
      default: 'keep',
      evidence: { happened: ['added: Polish 1', 'added: Polish 2', 'added: Polish 3'] },
    })
  })

  test('opens the right task if checks fail in the iteration that changed its numbers', async () => {
    const maker: Maker = (scene) => {
      if (scene.iteration === 1) scene.files.set(planPath, '# Plan\n\n- [ ] Write part 2\n')
      return writeTask(scene)
    }
    const { progress } = await playBuild({
      maker,
      plan: tasks(2),
      answer: 'accept',
      check: (files) => !files.has(part(2)),
      iterations: 2,
    })
    expect(progress.plan?.tasks.map(({ text, mark }) => [text, mark])).toEqual([
      ['Write part 2', 'open'],
    ])
    expect(progress.entries.at(-1)?.text).toMatch(/^task 1: Write part 2/)
  })

  test('has the new tasks, too, if a person accepts them', async () => {
    const maker: Maker = (scene) => {
      if (scene.iteration === 1) scene.files.set(planPath, `${tasks(1)}- [ ] Polish\n`)
      return writeTask(scene)
    }
    const { state, workspace } = await playBuild({ maker, plan: tasks(1), answer: 'accept' })
    expect(state.outcome).toEqual(complete)
    expect(state.iteration).toBe(2)
    expect(workspace.files.get(planPath)).toBe(
      '# Plan\n\n- [R] Write part 1\n\n\n## Added\n\n- [R] Polish\n',
    )
  })

  test('is drafted in the first iteration, in which nothing else may change', async () => {
    const maker: Maker = (scene) => {
      if (scene.task > 0) return writeTask(scene)
      expect(scene.prompt).toContain(`Write the plan for the specification to ${planPath}`)
      scene.files.set(planPath, tasks(2))
      scene.files.set('src/early.js', 'too early')
      return 'Drafted it.'
    }
    const { state, workspace, prompts } = await playBuild({ maker, plan: '' })
    expect(state.outcome).toEqual(complete)
    expect(state.iteration).toBe(3)
    expect(workspace.files.has('src/early.js')).toBe(false)
    expect(workspace.files.get(planPath)).toBe(tasks(2).replaceAll('[ ]', '[R]'))
    expect(prompts[0]?.role).toBe('maker')
    expect(prompts[1]?.role).toBe('maker')
  })

  test('is not done because the draft says so', async () => {
    const maker: Maker = (scene) => {
      if (scene.task > 0) return writeTask(scene)
      scene.files.set(planPath, tasks(2).replaceAll('[ ]', '[R]'))
      return 'Drafted it.'
    }
    const { state, workspace } = await playBuild({ maker, plan: '' })
    expect(state.outcome).toEqual(complete)
    expect(state.iteration).toBe(3)
    expect(workspace.files.has(part(2))).toBe(true)
  })

  test('that is never drafted ends the run', async () => {
    let count = 0
    const maker: Maker = () => `I think about it, ${(count += 1)}.`
    const { state } = await playBuild({ maker, plan: '' })
    expect(state.outcome).toMatchObject({ type: 'stuck', condition: 'no-plan' })
    expect(state.iteration).toBe(3)
  })
})

describe('a blocked task', () => {
  test('is marked, tried once more at the end, and ends the run with its reason', async () => {
    const maker: Maker = (scene) =>
      scene.task === 2
        ? { status: 'blocked', text: `There is no key, attempt ${scene.iteration}.` }
        : writeTask(scene)
    const { state, workspace, prompts } = await playBuild({ maker })
    expect(state.outcome).toEqual({
      type: 'stuck',
      condition: 'tasks-blocked',
      detail: 'task 2 (Write part 2): There is no key, attempt 4.',
    })
    expect(state.iteration).toBe(4)
    expect(workspace.files.get(planPath)).toContain('- [R] Write part 1\n- [~] Write part 2\n- [R]')
    expect(prompts.at(-1)?.prompt).toContain('> There is no key, attempt 2.')
  })

  test('that is done at the second attempt lets the build complete', async () => {
    const maker: Maker = (scene) =>
      scene.task === 1 && scene.iteration === 1
        ? { status: 'needs-context', text: 'Which shop?' }
        : writeTask(scene)
    const { state } = await playBuild({ maker })
    expect(state.outcome).toEqual(complete)
    expect(state.iteration).toBe(4)
  })
})

describe('the completion token', () => {
  test('ends nothing, and is recorded', async () => {
    const maker: Maker = (scene) => {
      writeTask(scene)
      return `Done.\n${completionDefaults.token}`
    }
    const { state, world, run } = await playBuild({ maker })
    expect(state.iteration).toBe(3)
    const plans = (await world.only(run, 'step-finished')).filter(({ role }) => role === 'plan')
    const hints = plans.map(({ result }) =>
      result !== undefined && 'value' in result ? result.value : {},
    )
    expect(hints).toMatchObject([
      { hint: 'complete', pending: 2 },
      { hint: 'complete', pending: 1 },
      { hint: 'complete', pending: 0 },
    ])
  })
})

describe('work that is not certified', () => {
  test('goes back to the maker with the reasons', async () => {
    const { state, prompts } = await playBuild({ refuseOnce: true })
    expect(state.outcome).toEqual(complete)
    expect(state.iteration).toBe(4)
    const makers = prompts.filter(({ role }) => role === 'maker').map(({ prompt }) => prompt)
    expect(makers.at(-1)).toContain(
      'All tasks of the plan are done, but the work is not certified yet.',
    )
    expect(makers.at(-1)).toContain('> It fails in a clean checkout.')
  })
})
