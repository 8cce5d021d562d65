// What builds and tuning loops show of their runs, from whole runs in memory.

import { describe, expect, test } from 'vitest'
import { questionId } from '../../src/engine/question-id.ts'
import { viewPanels } from '../../src/history/views/index.ts'
import type { RunId } from '../../src/loop/index.ts'
import { buildPanels } from '../../src/loops/build/build-panels.ts'
import { tunePanels } from '../../src/loops/tune/view/tune-panels.ts'
import type { Panel, PanelMaker, RunPanels } from '../../src/protocol/api/index.ts'
import type { World } from '../engine/fixture.ts'
import { playBuild, verdict, writeTask } from './build/build-fixture.ts'
import { createTuneStory, easy, type FakeWorkload } from './tune/fixture.ts'

const panelsOf = async (world: World, run: RunId, maker: PanelMaker): Promise<RunPanels> => {
  const shown = await viewPanels(world, run, () => maker)
  expect(shown.problems).toEqual([])
  return shown
}

function find<Type extends Panel['type']>(
  { items }: RunPanels,
  title: string,
  type: Type,
): Extract<Panel, { type: Type }> {
  const found = items.find((panel) => panel.title === title)
  if (found?.type !== type) throw new Error(`no ${type} "${title}"`)
  return found as Extract<Panel, { type: Type }>
}

describe('the board of a build', () => {
  const rows = (shown: RunPanels) =>
    find(shown, 'Plan', 'table').rows.map((cells) =>
      cells.map((cell) => (typeof cell === 'object' ? cell.text : cell)),
    )

  test('has each task with its iterations, its review, and the certificate of the end', async () => {
    let reviews = 0
    const { world, run, state } = await playBuild({
      reviewer: ({ token }) =>
        ++reviews === 1 ? verdict(token, 'fail', 'Nothing tests it.') : verdict(token, 'pass'),
    })
    const certificate = state.certificate?.id.slice(0, 12)
    const shown = await panelsOf(world, run, buildPanels)
    expect(shown.name).toBe('Plan')
    expect(rows(shown)).toEqual([
      ['1. Write part 1', 'Done', '1, 2', 'passed', '', certificate],
      ['2. Write part 2', 'Done', '3', 'passed', '', certificate],
      ['3. Write part 3', 'Done', '4', 'passed', '', certificate],
    ])
  })

  test('says why a task is blocked or was not accepted, and what comes next', async () => {
    const { world, run } = await playBuild({
      iterations: 2,
      maker: (scene) =>
        scene.task === 1 ? { status: 'blocked', text: 'There is no database.' } : writeTask(scene),
      reviewer: ({ token }) => verdict(token, 'fail', 'Nothing tests it.'),
    })
    const shown = await panelsOf(world, run, buildPanels)
    expect(rows(shown)).toEqual([
      ['1. Write part 1', 'Blocked', '1', '', 'There is no database.', ''],
      ['2. Write part 2', 'To do', '2', 'fail', '', ''],
      ['3. Write part 3', 'To do', '', '', '', ''],
    ])
    const [, second] = find(shown, 'Plan', 'table').rows
    expect(second?.[3]).toMatchObject({ tone: 'bad', hint: 'Nothing tests it.' })
  })

  test('without reviews a task is done once it is implemented', async () => {
    const { world, run } = await playBuild({ settings: { review: false } })
    const shown = await panelsOf(world, run, buildPanels)
    expect(rows(shown).map(([, lane, , review]) => [lane, review])).toEqual(
      [1, 2, 3].map(() => ['Done', '']),
    )
  })
})

describe('the page of a tuning loop', () => {
  const play = async (workload: FakeWorkload) => {
    const { world, loop, input } = await createTuneStory(workload).story
    const run = await world.start(loop, { input: input as never })
    await world.finish(run, loop)
    return panelsOf(world, run, tunePanels)
  }

  test('shows the best version with its interval, what each change did, the flips of cases and the proof', async () => {
    const shown = await play(easy)
    const [best] = find(shown, 'Best so far', 'series').lines
    expect(best?.points.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [1, 0],
      [2, 1],
    ])
    const last = best?.points.at(-1)
    expect(last?.low).toBeGreaterThan(0)
    expect(last?.high).toBeLessThanOrEqual(1)
    const changes = find(shown, 'Changes that were measured', 'table').rows
    expect(changes.map(([, , by, result, delta]) => [by, result, delta])).toContainEqual([
      'policy',
      { text: 'kept', tone: 'good' },
      '+100.0 pt',
    ])
    const cases = find(shown, 'Cases by iteration', 'matrix')
    expect(cases.columns).toEqual(['base', '2', 'now'])
    expect(cases.rows).toHaveLength(6)
    expect(cases.rows[0]?.cells).toEqual([
      { text: 'fail', tone: 'bad' },
      { text: 'fixed', tone: 'good', flip: 'better' },
      { text: 'pass', tone: 'good' },
    ])
    const facts = Object.fromEntries(find(shown, 'Where it stands', 'table').rows)
    expect(facts['Proof']).toContain('Improved on this suite: +100.0 pt')
    expect(facts['The files']).toBe('changed')
    expect(find(shown, 'Hypotheses', 'table').rows.map((row) => row[3])).toEqual([
      { text: 'untested', tone: 'muted' },
      { text: 'confirmed', tone: 'good' },
    ])
  })

  test('E12. a case that turned worse is marked, and first', async () => {
    const shown = await play({
      rules: 'x=1\ny=off\n',
      cases: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].toReversed(),
      run: (rules, id) => ((id === 'a') === rules.includes('x=1') ? 'good' : 'bad'),
      manifest: { maxIterations: 1 },
    })
    const [first] = find(shown, 'Cases by iteration', 'matrix').rows
    expect(first?.name).toBe('cases/a')
    expect(first?.cells.slice(0, 2)).toMatchObject([{ text: 'pass' }, { flip: 'worse' }])
  })

  test('offers the options as diffs that answer the open question, and hides them once one is picked', async () => {
    const asks = { pick: 'ask', apply: 'ask' } as const
    const { world, loop, input } = await createTuneStory(easy, asks).story
    const run = await world.start(loop, { input: input as never })
    const driving = world.drive(run, loop)
    const answered = new Set<string>()
    // Takes the default of every question before the one that offers the options.
    const findPick = async (): Promise<string | undefined> => {
      for (const { iteration, step, question } of await world.only(run, 'step-started')) {
        if (question === undefined) continue
        const id = questionId(iteration, step)
        if (step.startsWith('ask:pick')) return id
        if (answered.has(id)) continue
        answered.add(id)
        await world.decide(run, { type: 'answer', question: id, answer: question.default })
      }
      return undefined
    }
    let pick = await findPick()
    while (pick === undefined) {
      await new Promise((resolve) => setImmediate(resolve))
      pick = await findPick()
    }
    const asking = await panelsOf(world, run, tunePanels)
    const options = asking.items.filter(({ type }) => type === 'diff')
    expect(options).toHaveLength(3)
    expect(options[0]).toMatchObject({
      title: expect.stringMatching(/^Option 1\.1 \(recommended\): /),
      changes: [{ path: 'rules.txt (x)' }, { path: 'rules.txt (y)' }],
      answer: { question: pick, option: '1.1' },
    })
    await world.decide(run, { type: 'answer', question: pick, answer: 'stop' })
    await world.clock.pass(driving)
    const ended = await panelsOf(world, run, tunePanels)
    expect(ended.items.filter(({ type }) => type === 'diff')).toEqual([])
  })

  test('has something to show before anything is measured', async () => {
    const { world, loop, input } = await createTuneStory(easy).story
    const run = await world.start(loop, { input: input as never })
    const shown = await panelsOf(world, run, tunePanels)
    expect(shown.items.map(({ title }) => title)).toEqual(['Where it stands'])
  })
})
