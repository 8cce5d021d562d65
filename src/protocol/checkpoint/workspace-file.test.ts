import { describe, expect, test } from 'vitest'
import { workspaceFilesSchema } from './workspace-file.ts'

const file = { path: 'a.txt', mode: 'file', encoding: 'utf8', content: 'hello\n' }
const findProblems = (...files: readonly object[]): string[] =>
  (workspaceFilesSchema.safeParse(files).error?.issues ?? []).map(
    (issue) => `${issue.path.join('.')}: ${issue.message}`,
  )

describe('the files of a checkpoint', () => {
  test('are files, executables, links and directories', () => {
    expect(
      findProblems(
        { ...file, path: 'src', mode: 'directory', content: '' },
        { ...file, path: 'src/run.sh', mode: 'executable' },
        { ...file, path: 'src/data.bin', encoding: 'base64', content: 'AP8=' },
        { ...file, path: 'latest', mode: 'symlink', content: 'src/run.sh' },
        { ...file, path: 'other/..name/__proto__' },
      ),
    ).toEqual([])
  })

  test.each(['', '/etc/passwd', '../up', 'a/../b', 'a/..', './a', 'a//b', 'a/', 'a\0b'])(
    'W1: the path %j does not stay in the workspace',
    (path) => {
      expect(findProblems({ ...file, path })).toEqual([expect.stringContaining('0.path: ')])
    },
  )

  test('W2: nothing lies below a link or a file, in any order', () => {
    const link = { ...file, path: 'out', mode: 'symlink', content: '/etc' }
    const below = { ...file, path: 'out/deep/passwd' }
    expect(findProblems(link, below)).toEqual(['1.path: it lies below "out", which is a symlink'])
    expect(findProblems(below, link)).toEqual(['0.path: it lies below "out", which is a symlink'])
    expect(findProblems(file, { ...file, path: 'a.txt/b' })).toHaveLength(1)
  })

  test('W2: no path occurs twice', () => {
    expect(findProblems(file, file)).toEqual(['1.path: this path occurs twice'])
  })

  test.each([
    ['a directory with content', { mode: 'directory', content: 'x' }],
    ['a link without a target', { mode: 'symlink', content: '' }],
    ['invalid base64', { encoding: 'base64', content: 'AP8' }],
    ['base64 with padding inside', { encoding: 'base64', content: 'A=P8' }],
    ['an unpaired surrogate', { content: '\ud800' }],
  ])('%s is refused', (_what, change) => {
    expect(findProblems({ ...file, ...change })).toEqual([expect.stringContaining('0.content: ')])
  })
})
