import { describe, expect, test } from 'vitest'
import type { Json } from '../../loop/index.ts'
import { initialFoldState } from './fold-state.ts'
import { planPartOf, projectPlan } from './project-plan.ts'

const project = (part: 'plan' | 'watchdog' | 'review-prompt', result: Json) =>
  projectPlan(
    { ...initialFoldState, tasks: { done: 1, total: 3 } },
    { part, iteration: 2, atMs: 5, result },
  )

describe('steps of a plan in the files of a run', () => {
  test.each<[Json, readonly (readonly [string, string])[]]>([
    [{ done: 2, total: 3, hint: 'none' }, []],
    [
      { done: 2, total: 3, hint: 'complete', mode: 'exact', pending: 0 },
      [['COMPLETE_DETECTED', 'mode=exact']],
    ],
    [
      { done: 2, total: 3, hint: 'complete', mode: 'trailing', pending: 1 },
      [
        ['COMPLETE_DETECTED', 'mode=trailing'],
        ['WARN_COMPLETE_WITH_PENDING', 'pending=1'],
      ],
    ],
    [
      { done: 2, total: 3, hint: 'malformed', mode: 'exact' },
      [['WARN_MALFORMED_COMPLETE', 'mode=exact']],
    ],
  ])('%j has the rows %j', (result, rows) => {
    const change = project('plan', result)
    expect(change.next.tasks).toEqual({ done: 2, total: 3 })
    expect((change.rows ?? []).map(({ kind, message = '' }) => [kind, message])).toEqual(rows)
  })

  test('a rewritten prompt is a file and a row', () => {
    const change = project('watchdog', { signal: 'no_progress', rewrite: 1, prompt: 'Change.' })
    expect(change.changes).toEqual([{ type: 'put', path: 'prompt.rewrite.1.txt', text: 'Change.' }])
    expect(change.rows).toEqual([
      {
        atMs: 5,
        kind: 'WATCHDOG_REWRITE',
        iteration: 2,
        outputPath: 'prompt.rewrite.1.txt',
        message:
          'signal=no_progress prompt_before=iter-02-prompt.txt prompt_after=prompt.rewrite.1.txt',
        tasksDone: 1,
        tasksTotal: 3,
      },
    ])
    expect(
      project('watchdog', { signal: 'no_progress', failed: 'no_progress' }).rows,
    ).toBeUndefined()
  })

  test('results of other loops change nothing', () => {
    for (const result of [null, 'text', {}, { done: 'x' }, []]) {
      expect(project('plan', result)).toEqual({
        next: { ...initialFoldState, tasks: { done: 1, total: 3 } },
      })
      expect(project('watchdog', result).rows).toBeUndefined()
      expect(project('review-prompt', result).changes).toBeUndefined()
    }
    expect(planPartOf('toString')).toBeUndefined()
  })
})
