import { afterEach, expect, test } from 'vitest'
import { listPastCommits } from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture | undefined
afterEach(() => fixture?.remove())

test('lists the last commits with trees and paths, without merges and the root commit', async () => {
  const { git, write, commitAll, repository } = (fixture = createGitFixture())
  const treeOf = (name: string): string => `git:${git('rev-parse', `${name}^{tree}`).trim()}`
  write('src/ü b.js', 'one\n')
  const second = commitAll('feat: b\twith a tab').trim()
  git('checkout', '-q', '-b', 'side')
  write('side.js')
  commitAll('side')
  git('checkout', '-q', '-')
  write('src/ü b.js', 'two\n')
  write('test/b.test.js')
  const third = commitAll('fix: b @@ hostile').trim()
  git('merge', '-q', '--no-ff', '-m', 'merge', 'side')
  write('c.js')
  commitAll('chore: c')

  const found = await listPastCommits(await repository(), 'HEAD', 50)
  expect(found.map(({ subject }) => subject)).toEqual([
    'chore: c',
    expect.stringContaining('fix: b'),
    'feat: b\twith a tab',
  ])
  const [newest, fix, feature] = found
  expect(newest?.paths).toEqual(['c.js'])
  expect(fix).toMatchObject({
    before: treeOf(second),
    after: treeOf(third),
    paths: ['src/ü b.js', 'test/b.test.js'],
  })
  expect(feature?.paths).toEqual(['src/ü b.js'])
  expect(await listPastCommits(await repository(), 'HEAD', 1)).toHaveLength(1)
  expect(await listPastCommits(await repository(), 'nothing', 5)).toEqual([])
})
