/** Replays of runs in git worktrees and of the repair agent, by the built loopctl. */

import { cpSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { startModelServer } from '../../src/testing/index.ts'
import { ctl, ctlWith, endOf, place } from './loop-fixture.ts'
import { replay, resultOf } from './replay-fixture.ts'
import { type Checkout, repository, run } from './worktree-fixture.ts'

// They search twice.
vi.setConfig({ testTimeout: 180_000 })

const repair = 'agent: repair\nchecks: { test: node --test }\n'
const project = resolve('examples/mend-duration/project')

function broken(): Checkout {
  const at = repository(repair)
  cpSync(project, at.work, { recursive: true })
  at.git('add', '-A')
  at.git('commit', '-q', '-m', 'broken')
  return at
}

describe('a replay of the repair agent searches again and finds the same', () => {
  test('of a run in a worktree, also when that was removed', async () => {
    const at = broken()
    expect(await run(at, '--name', 'story')).toMatchObject({ code: 0, stderr: '' })
    const replayed = await replay(at)
    expect(replayed).toMatchObject({ code: 0 })
    expect(resultOf(replayed)).toMatchObject({ same: true, complete: true, exchanges: 0 })
    expect((await ctl(at, 'worktrees', 'clean', '--yes')).stdout).toContain('removed  story')
    const later = await replay(at)
    expect(later).toMatchObject({ code: 0 })
    expect(resultOf(later)).toMatchObject({ same: true, complete: true })
  })

  test('of a run in the folder itself', async () => {
    const at = place(repair)
    cpSync(project, at.work, { recursive: true })
    expect(await run(at, '--name', 'story')).toMatchObject({ code: 0, stderr: '' })
    const replayed = await replay(at)
    expect(replayed).toMatchObject({ code: 0 })
    expect(resultOf(replayed)).toMatchObject({ same: true, complete: true })
  })
})

const tellsOfGit = `
import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' })
const content = [
  git('branch', '--show-current'),
  git('log', '--oneline', '-3'),
  git('log', '--decorate', '-2'),
  git('status'),
].join('\\n---\\n')
const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
  method: 'POST',
  headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'claude-sonnet-4-5', max_tokens: 100, messages: [{ role: 'user', content }],
  }),
})
if (!answer.ok) throw new Error(await answer.text())
appendFileSync('log.txt', 'x\\n')
`

test('a replay tells its model the branch and the commits of the recorded run', async () => {
  await using server = await startModelServer(() => ({ text: 'Fine.' }))
  const at = repository(
    `prompt: Go.
agent: { command: [node, agent.mjs] }
checks: { three: 'test "$(wc -l < log.txt)" -ge 3' }
`,
    { 'agent.mjs': tellsOfGit },
  )
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-secret-0123456789abcdef' }
  const args = ['--json', 'run', at.file, '--trust', '--name', 'story']
  expect(await ctlWith(at, env, ...args)).toMatchObject({ code: 0 })
  expect(server.requests).toHaveLength(3)
  expect(JSON.stringify(server.requests[2])).toContain('story: iteration 2')
  const replayed = await replay(at)
  expect(endOf(replayed)).toMatchObject({ same: true, exchanges: 3, iterations: 3 })
  expect((await ctl(at, 'worktrees', 'clean', '--yes')).stdout).toContain('removed  story')
  at.git('branch', '-D', 'run/story')
  expect(endOf(await replay(at))).toMatchObject({ same: true, exchanges: 3 })
  expect(server.requests).toHaveLength(3)
})
