// Configuration and dry runs on the command line, for people and for programs.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ctl, ctlWith, type Ended, type Place, place } from './loop-fixture.ts'

const loop = `prompt: "Fix {{ input.goal }}."
input: { goal: the tests }
agent: { model: anthropic/claude-sonnet-4-5 }
checks: { test: "true" }
limits: { iterations: 30 }
`

function withFile(at: Place, name: string, text: string): string {
  const file = join(dirname(at.file), name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const parse = ({ stdout }: Ended): Record<string, unknown> => JSON.parse(stdout)

describe('config', () => {
  test('show prints every setting and where it comes from', async () => {
    const at = place(loop)
    const own = join(at.state, '.config', 'loopwright', 'loopwright.yaml')
    mkdirSync(dirname(own), { recursive: true })
    writeFileSync(own, 'daemon:\n  port: 7800\n')
    const file = withFile(at, 'loopwright.yaml', 'limits: { iterations: 5 }\nmodel: a/b\n')
    const env = { LOOP_CONFIG: file, LOOPWRIGHT_ARTIFACTS_MODE: 'global' }
    const { code, stdout } = await ctlWith(at, env, 'config', 'show', '--origin')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^daemon\.port +7800 +user: .*loopwright\.yaml:2:3$/m)
    expect(stdout).toMatch(/^limits\.iterations +5 +project: .*loopwright\.yaml:1:11$/m)
    expect(stdout).toMatch(/^artifacts\.mode +global +environment: LOOPWRIGHT_ARTIFACTS_MODE$/m)
    expect(stdout).toMatch(/^naming\.source +auto +default$/m)
    expect(stdout).toContain(`not trusted: model. Read it, then: loopctl trust ${file}`)
    expect((await ctl(at, 'trust', file)).stdout).toContain('sets model to a/b')
    const after = parse(await ctlWith(at, env, 'config', 'show', '--origin', '--json'))
    expect(after['settings']).toContainEqual(
      expect.objectContaining({ name: 'model', value: 'a/b', text: 'a/b' }),
    )
    expect(after['notes']).toEqual([])
  })

  test('check prints problems with their positions, and show refuses an invalid file', async () => {
    const at = place(loop)
    const file = withFile(at, '.loop/config', 'iterations=5\nitterations=6\n')
    const checked = await ctl(at, 'config', 'check', file)
    expect(checked.code).toBe(78)
    expect(checked.stdout).toContain(
      `${file}:2:1: itterations: there is no key "itterations": did you mean iterations?`,
    )
    const shown = await ctl(at, 'config', 'show', '--config', file)
    expect([shown.code, shown.stdout]).toEqual([78, ''])
    expect((await ctl(at, 'config', 'check', join(at.work, 'gone'))).code).toBe(66)
  })
})

describe('a dry run', () => {
  test('prints prompt, limits, sandbox and cost; it creates no state folder and starts nothing', async () => {
    const at = place(loop)
    const file = withFile(at, 'loopwright.yaml', 'limits: { iterations: 5 }\n')
    const { code, stdout } = await ctl(at, 'run', at.file, '--dry-run', '--config', file)
    expect(code).toBe(0)
    expect(stdout).toContain('limits     5 iterations')
    expect(stdout).toMatch(/^policy {5}none$/m)
    expect(stdout).toMatch(/^sandbox {4}(?:strong|basic|none)/m)
    expect(stdout).toMatch(
      /^cost {7}anthropic\/claude-sonnet-4-5, billed by token; about \d+ tokens/m,
    )
    expect(stdout).toContain('unknown: how often the agent calls its model')
    expect(stdout).toContain('The first prompt:\nFix the tests.')
    const told = await ctl(at, 'run', at.file, '--dry-run', '--iterations', '9', '--config', file)
    expect(told.stdout).toContain('limits     9 iterations')
    expect(existsSync(at.state)).toBe(false)
  })

  test('of the prompt alone prints only the prompt', async () => {
    const at = place(loop)
    const { stdout } = await ctl(at, 'prompt', at.file, '--input', 'goal=it')
    expect(stdout).toBe('Fix it.\n')
    expect(parse(await ctl(at, 'prompt', at.file, '--json'))).toEqual({
      loop: 'loop',
      prompt: 'Fix the tests.',
      tokens: expect.any(Number),
    })
  })
})

describe('flags of the legacy CLI', () => {
  test.each([
    ['--queue-policy', 'fifo', 'The daemon serves every project'],
    ['--max-concurrency', '4', 'daemon.maxConcurrentRuns'],
    ['--merge-strategy', 'octopus', 'squash, merge, none'],
    ['--name-source', 'cat', 'It must be one of'],
  ])('%s says what to use instead', async (flag, value, words) => {
    const at = place(loop)
    const { code, stderr } = await ctl(at, 'run', at.file, flag, value)
    expect(code).toBe(64)
    expect(stderr).toContain(words)
  })
})

describe('quiet', () => {
  test('a run prints its end, and nothing before it', async () => {
    const at = place(`prompt: x\nagent: { command: ["true"] }\nchecks: { test: "true" }\n`)
    await ctl(at, 'trust', at.file)
    const { code, stdout } = await ctl(at, '-q', 'run', at.file, '--attended', '--name', 'silent')
    expect(code).toBe(0)
    expect(stdout).toContain('completed')
    expect(stdout).not.toContain('iteration 1')
    expect(stdout).not.toContain('silent  loop')
  })
})

test('help has topics that are not commands', async () => {
  const at = place(loop)
  expect((await ctl(at, 'help', 'environment')).stdout).toContain('LOOPWRIGHT_DAEMON_PORT')
  expect((await ctl(at, 'help', 'config')).stdout).toContain('loopctl trust loopwright.yaml')
  expect((await ctl(at, 'help', 'daemon')).stdout).toContain('loopctl daemon status')
})
