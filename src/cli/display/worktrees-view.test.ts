import { expect, test } from 'vitest'
import type { RunId } from '../../loop/index.ts'
import type { Worktree } from '../../protocol/api/index.ts'
import { renderWorktrees } from './worktrees-view.ts'

const path = '/home/somebody/projects/of-mine/repository.run-calm-otter'
const entry: Worktree = {
  repository: '/home/somebody/projects/of-mine/repository/.git',
  branch: 'run/calm-otter',
  path,
  run: {
    id: 'run_1' as RunId,
    name: 'calm-otter',
    status: 'completed',
    held: false,
    interrupted: false,
  },
  status: 'there',
  size: { bytes: 2048, files: 1, isPartial: false },
  state: { uncommitted: ['a'], unmerged: 'abc', branch: 'unmerged' },
  createdAtMs: 0,
}

test('worktrees are shown as a table if it fits', () => {
  const [head, row] = renderWorktrees([entry], { live: true, width: () => 200 }).split('\n')
  expect(head).toMatch(/^RUN +BRANCH +SIZE +STATE +FOLDER$/)
  expect(row).toContain(path)
  const piped = renderWorktrees([entry], { live: false, width: () => 40 })
  expect(piped.split('\n')).toHaveLength(2)
})

test('on a narrow terminal the folder has a separate line, and no word is broken', () => {
  const lines = renderWorktrees([entry], { live: true, width: () => 80 }).split('\n')
  expect(lines).toEqual([
    expect.stringMatching(/^calm-otter  run\/calm-otter  .*completed, 1 uncommitted, not merged$/),
    `  ${path}`,
  ])
  const narrow = renderWorktrees([entry], { live: true, width: () => 40 }).split('\n')
  expect(narrow.length).toBeGreaterThan(2)
  expect(narrow.slice(0, -1).every((line) => line.length <= 40)).toBe(true)
  expect(narrow.at(-1)).toBe(`  ${path}`)
})
