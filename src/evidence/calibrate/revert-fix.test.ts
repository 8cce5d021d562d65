import { describe, expect, test } from 'vitest'
import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { type PastCommit, revertedFixes, takeBack } from './revert-fix.ts'

describe('reverting a fix', () => {
  const before = 'one\ntwo\nthree\nfour\nfive\n'
  const after = before.replace('three', '3')

  test.each([
    ['the file is unchanged since the fix', after, before, 3],
    ['the file changed elsewhere', `zero\n${after}six\n`, `zero\n${before}six\n`, 4],
  ])('%s', (_, now, text, line) => {
    expect(takeBack(before, after, now)).toEqual({ text, line })
  })

  test.each([
    ['the fixed lines were changed again', after.replace('3', 'iii')],
    ['the surrounding lines were changed', after.replace('four', '4')],
    ['they occur twice', `${after}${after}`],
  ])('is not possible if %s', (_, now) => {
    expect(takeBack(before, after, now)).toBeUndefined()
  })

  test('works for a fix that only added or only removed lines', () => {
    const more = before.replace('three\n', 'three\nand a half\n')
    expect(takeBack(before, more, more)).toEqual({ text: before, line: 4 })
    expect(takeBack(more, before, before)).toEqual({ text: more, line: 4 })
    expect(takeBack(before, before, before)).toBeUndefined()
  })
})

test('reverts the source of commits that changed source and tests together', async () => {
  const trees: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    head: { 'a.js': 'a\nfixed\nc\n', 'a.test.js': 'new', 'b.js': 'b\n' },
    t2: { 'a.js': 'a\nfixed\nc\n', 'a.test.js': 'new' },
    t1: { 'a.js': 'a\nwrong\nc\n', 'a.test.js': 'old' },
  }
  const reader: TreeReader = {
    list: (tree) =>
      Promise.resolve(
        new Map(
          Object.entries(trees[tree] ?? {}).map(([path, content]) => [
            path,
            { content, kind: 'file' },
          ]),
        ),
      ),
    read: (tree, path) => {
      const text = trees[tree]?.[path]
      return Promise.resolve(text === undefined ? undefined : new TextEncoder().encode(text))
    },
    patch: () => Promise.resolve(''),
  }
  const commit = (paths: readonly string[], before = 't1'): PastCommit => ({
    commit: '0123456789abcdef',
    subject: 'fix: it was wrong',
    before: before as TreeId,
    after: 't2' as TreeId,
    paths,
  })
  const find = (commits: readonly PastCommit[]): ReturnType<typeof revertedFixes> =>
    revertedFixes({
      reader,
      tree: 'head' as TreeId,
      commits,
      isTest: (path) => path.includes('.test.'),
      random: () => 0,
      max: 5,
    })
  const [found, ...more] = await find([
    commit(['a.js', 'a.test.js']),
    commit(['a.js']),
    commit(['a.test.js']),
    commit(['README.md', 'a.test.js']),
    // It added the file.
    commit(['b.js', 'a.test.js']),
  ])
  expect(more).toEqual([])
  expect(found).toMatchObject({
    source: 'reverted-fix',
    file: 'a.js',
    line: 2,
    description: 'without 01234567 fix: it was wrong',
  })
  const text = new TextDecoder().decode(found?.overlay.get('a.js')?.content)
  expect(text).toBe('a\nwrong\nc\n')
  expect([...(found?.overlay.keys() ?? [])]).toEqual(['a.js'])
})
