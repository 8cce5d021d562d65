// What loop types show of their runs, as data: made from the state, or the result of a step of a loop in code.

import { expect, test } from 'vitest'
import type { Json, RunEvent, StepId } from '../../src/loop/index.ts'
import { type LoopTypeDefinition, loopTypes } from '../../src/loops/index.ts'
import type { Panel, RunPanels } from '../../src/protocol/api/index.ts'
import { writeRun } from '../../src/testing/write-run.ts'
import { openApi } from './api-fixture.ts'

const started: RunEvent = { type: 'run-started', owner: 'me', fence: 1 }
const begins = (iteration: number): RunEvent => ({ type: 'iteration-started', iteration })
const ends = (iteration: number): RunEvent => ({
  type: 'iteration-ended',
  iteration,
  ending: { type: 'continue' },
})

function shows(iteration: number, value: Json, role = 'panels'): readonly RunEvent[] {
  const step = { iteration, step: `${role}#1` as StepId, attempt: 1, kind: 'step', role } as const
  return [
    { type: 'step-started', ...step },
    { type: 'step-finished', ...step, result: { value } },
  ]
}

const table = (title: string): Json => ({
  type: 'table',
  title,
  columns: ['Case', 'Score'],
  rows: [['a', 0.5]],
})

test('the last panels that a loop in code showed are those of its run, and undone ones are gone', async () => {
  const { host, get } = await openApi()
  const run = await writeRun(host.journal, { name: 'shows' })
  const panels = async (): Promise<RunPanels> =>
    (await get('/runs/shows/panels')).body as unknown as RunPanels
  await run.write(started, begins(1))
  expect(await panels()).toEqual({ name: 'Results', items: [], problems: [] })
  await run.write(...shows(1, [table('First')]), ends(1), begins(2))
  expect((await panels()).items.map(({ title }) => title)).toEqual(['First'])
  await run.write(...shows(2, [table('Second'), { type: 'text', title: 'Why', body: '<b>x</b>' }]))
  expect((await panels()).items.map(({ title }) => title)).toEqual(['Second', 'Why'])
  await run.write({ type: 'iteration-restarted', iteration: 2, reason: 'code' })
  expect((await panels()).items).toEqual([])
})

test('what is wrong with a panel is said, and the others are shown', async () => {
  const { host, get } = await openApi()
  const run = await writeRun(host.journal, { name: 'wrong' })
  const wrong: readonly Json[] = [
    table('Right'),
    { type: 'chart', title: 'x' },
    { type: 'table', title: 'x', columns: ['a'], rows: [['1', '2']] },
    { type: 'text', title: 'x', body: 'x', onclick: 'alert(1)' },
    'text',
    ...Array.from({ length: 17 }, () => ({ type: 'text', title: 'big', body: 'x'.repeat(49_000) })),
    ...Array.from({ length: 5 }, () => table('more')),
  ]
  await run.write(started, begins(1), ...shows(1, wrong))
  const { items, problems } = (await get('/runs/wrong/panels')).body as unknown as RunPanels
  expect(items[0]?.title).toBe('Right')
  expect(items).toHaveLength(16)
  expect(problems).toEqual([
    'Panel 2 is not shown: its type is not one of table, series, diff, matrix, text.',
    'Panel 3 is not shown: row 1 does not have a cell for each column.',
    expect.stringContaining('Panel 4 is not shown: '),
    'Panel 5 is not shown: its type is not one of table, series, diff, matrix, text.',
    '7 more panels are not shown: the limit is 20.',
  ])
})

test('a loop type makes its panels from the state and the results that it names; one that fails is a problem', async () => {
  const counting: LoopTypeDefinition = {
    ...(loopTypes[0] as LoopTypeDefinition),
    name: 'counting',
    panels: {
      name: 'Counts',
      roles: ['count'],
      make({ state, results }): readonly Panel[] {
        if (results.length > 2) throw new Error('too many')
        const text = `${state.iteration} ${JSON.stringify(results.map(({ value }) => value))}`
        return [{ type: 'text', title: 'Count', body: text }]
      },
    },
  }
  const { host, get } = await openApi({ loopTypes: [...loopTypes, counting] })
  const run = await writeRun(host.journal, { name: 'counts', loopType: 'counting' })
  await run.write(started, begins(1), ...shows(1, 7, 'count'), ...shows(1, 8, 'other'), ends(1))
  const read = async () => (await get('/runs/counts/panels')).body
  expect(await read()).toEqual({
    name: 'Counts',
    items: [{ type: 'text', title: 'Count', body: '1 [7]' }],
    problems: [],
  })
  for (const iteration of [2, 3]) {
    await run.write(begins(iteration), ...shows(iteration, iteration, 'count'), ends(iteration))
  }
  expect(await read()).toMatchObject({
    items: [],
    problems: ['The panels could not be made: too many'],
  })
})
