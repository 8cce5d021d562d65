// `worktree` of a loop file: its meaning, and its error messages.

import { describe, expect, test } from 'vitest'
import {
  describePowers,
  describeProblem,
  LoopFileError,
  parseLoopFile,
} from '../src/definition/loop-file/index.ts'
import type { LoopFile } from '../src/protocol/index.ts'

const small = 'prompt: do it\nagent: { command: [agent] }\nchecks: { test: npm test }\n'

const parse = async (worktree: string): Promise<LoopFile> =>
  (await parseLoopFile(`${small}worktree: ${worktree}\n`, 'a.yaml')).file

async function refusal(worktree: string): Promise<readonly string[]> {
  const error: unknown = await parse(worktree).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof LoopFileError)) throw new Error('not refused', { cause: error })
  return error.problems.map((one) => describeProblem(one).replace(/^a\.yaml:4:\d+: /, ''))
}

describe('worktree of a loop file', () => {
  test.each([
    ['auto', 'auto'],
    ['true', true],
    ['false', false],
  ])('may be the word %s', async (written, use) => {
    expect((await parse(written)).worktree).toEqual({ use, provider: 'auto', allowDirty: false })
  })

  test('with keys is enabled by default', async () => {
    const carry = '[{ path: node_modules, by: link }, { path: .env }]'
    expect((await parse(`{ base: main, carry: ${carry} }`)).worktree).toEqual({
      use: true,
      provider: 'auto',
      allowDirty: false,
      base: 'main',
      carry: [
        { path: 'node_modules', by: 'link' },
        { path: '.env', by: 'copy' },
      ],
    })
    expect((await parse('{ use: auto, branchPrefix: work/ }')).worktree).toMatchObject({
      use: 'auto',
      branchPrefix: 'work/',
    })
  })

  test.each([
    ['maybe', 'worktree: expected true, false or auto'],
    ['[main]', 'worktree: '],
    ['{ use: 1 }', 'worktree.use: '],
    ['{ provider: hg }', 'worktree.provider: '],
    ['{ base: --upload-pack }', 'worktree.base: '],
    ['{ base: "a b" }', 'worktree.base: '],
    ['{ branchPrefix: "-x" }', 'worktree.branchPrefix: '],
    ['{ carry: [{ path: a, by: hardlink }] }', 'worktree.carry[0].by: '],
    ['{ bass: main }', 'worktree.bass: '],
  ])('%s is refused with its position', async (written, place) => {
    const problems = await refusal(written)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(place)
  })

  test('is described in the trust prompt, with what is copied', async () => {
    const where = 'the folder where it is run'
    const tree = 'a separate git worktree, on a branch run/…, and commits each iteration there'
    const copies = 'copies ignored files into the worktree: .env, .env.*, node_modules'
    expect(describePowers(await parse('auto')).slice(0, 2)).toEqual([
      `works in ${where}; if that is a git repository, in ${tree}`,
      copies,
    ])
    expect(describePowers(await parse('true')).slice(0, 2)).toEqual([
      `works in ${where}: in ${tree}`,
      copies,
    ])
    const [place, next] = describePowers(await parse('false'))
    expect(place).toBe(`works directly in ${where}`)
    expect(next).not.toContain('worktree')
  })

  test('is described in the trust prompt, if it is unusual', async () => {
    const usual = describePowers(await parse('true'))
    const unusual = describePowers(
      await parse(
        '{ path: "~/trees/{{ run_branch }}", carry: [{ path: keys }, { path: "a*b" }, { path: lib, by: link }, { path: no, by: nothing }] }',
      ),
    )
    expect(unusual.filter((line) => !usual.includes(line))).toEqual([
      'creates git worktrees at "~/trees/{{ run_branch }}"',
      'copies ignored files into the worktree: keys, a*b',
      'links ignored files into the worktree: lib',
    ])
  })
})
