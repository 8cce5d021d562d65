/**
 * File tools, which run outside the sandbox, protect the same files as the sandbox does for
 * commands.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, endOf, place, toolCalls } from './loop-fixture.ts'

const secret = 'secret-8c1f'

/** A call, and the resulting error. */
const calls: readonly (readonly [tool: string, args: object, error: string | undefined])[] = [
  ['read', { path: '.env' }, 'hidden'],
  ['read', { path: 'link.txt' }, 'hidden'],
  ['edit', { path: 'src/../.env', old: 'secret', new: 'mine' }, 'hidden'],
  ['read', { path: '.git/config' }, 'hidden'],
  ['write', { path: '.git/hooks/pre-commit', content: 'mine' }, 'protected'],
  ['read', { path: 'loop.yaml' }, undefined],
  ['write', { path: 'loop.yaml', content: 'mine' }, 'protected'],
  ['edit', { path: 'prompt.md', old: 'Go.', new: 'mine' }, 'protected'],
  ['write', { path: 'fixed/new/a.txt', content: 'mine' }, 'protected'],
  ['list', { path: 'record' }, 'hidden'],
  ['glob', { pattern: '**', path: 'record' }, 'hidden'],
  ['write', { path: 'record/mine.txt', content: 'mine' }, 'hidden'],
  ['write', { path: 'done.txt', content: 'done' }, undefined],
]

test('file tools neither show nor change what the sandbox protects in the workspace', async () => {
  const at = place('', { '.env': secret, 'prompt.md': 'Go.' })
  const { work, state } = at
  const file = join(work, 'loop.yaml')
  execFileSync('git', ['init', '-q', work], { env: { PATH: process.env['PATH'], HOME: state } })
  const config = join(work, '.git/config')
  writeFileSync(config, `[remote "origin"]\n\turl = https://me:${secret}@example.test/x.git\n`)
  for (const name of ['record', 'fixed', 'src']) mkdirSync(join(work, name))
  symlinkSync('.env', join(work, 'link.txt'))
  const turn = calls.map(([call, args]) => ({ call, args }))
  const loop = `
workspace: .
worktree: false
prompt: { file: prompt.md }
checks: { done: test -f done.txt }
agent: { script: [${JSON.stringify(turn)}] }
sandbox: { hide: [.env], readOnly: [fixed] }
limits: { iterations: 1 }
`
  writeFileSync(file, loop)
  const ended = await ctl(at, '--json', '--state', join(work, 'record'), 'run', file, '--trust')
  expect(ended.stderr).toBe('')
  expect(toolCalls(ended).map(({ tool, error }) => [tool, error])).toEqual(
    calls.map(([tool, _args, error]) => [tool, error]),
  )
  expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
  expect(ended.stdout).not.toContain(secret)
  expect(readFileSync(join(work, '.env'), 'utf8')).toBe(secret)
  expect(readFileSync(file, 'utf8')).toBe(loop)
  expect(readFileSync(join(work, 'prompt.md'), 'utf8')).toBe('Go.')
  for (const path of ['.git/hooks/pre-commit', 'record/mine.txt', 'fixed/new']) {
    expect([path, existsSync(join(work, path))]).toEqual([path, false])
  }
})
