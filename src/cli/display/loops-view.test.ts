import { expect, test } from 'vitest'
import type { Run } from '../../protocol/api/index.ts'
import { renderLoops } from './loops-view.ts'
import { renderList } from './runs-view.ts'

const run = (loop: string, attention?: Run['attention']): Run =>
  ({
    id: 'run-1',
    name: `of-${loop}`,
    loop,
    status: 'completed',
    iteration: 1,
    createdAtMs: 1,
    updatedAtMs: 1,
    lastSeq: 1,
    held: false,
    interrupted: false,
    ...(attention === undefined ? {} : { attention }),
  }) as Run

const runs = [
  run('fix', { questions: 1, waitedMs: 60_000 }),
  run('build', { questions: 0, waitedMs: 0 }),
  run('fix', { questions: 2, waitedMs: 60_000 }),
]

test('questions and waiting are shown for each loop', () => {
  const loops = [{ loop: 'fix', runs: 2, questions: 3, waitedMs: 120_000 }]
  expect(renderLoops(loops)).toMatch(/fix +2 runs +3 questions +2 min .*waited/)
  expect(renderLoops([])).toBe('No runs yet.')
})

test('the list has a column for them only if they were read', () => {
  const terminal = { live: false, width: () => 80 }
  const shown = renderList(runs, 1, terminal)
  expect(shown).toContain('QUESTIONS')
  expect(shown).toMatch(/1, .* waited/)
  expect(renderList([run('fix')], 1, terminal)).not.toContain('QUESTIONS')
})
