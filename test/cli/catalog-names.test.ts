// Names and paths that would lead catalog and goal files out of the project.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environment, type Place, place } from '../e2e/loop-fixture.ts'
import { warmLoopctl } from '../warm-loopctl.ts'

const ctl = (at: Place, ...args: string[]) => warmLoopctl(args, environment(at.state), at.work)

test.each([
  ['show', '../x'],
  ['show', '../../package'],
  ['show', '/etc/passwd'],
  ['show', 'ci-sweeper\u001b[2J'],
  ['add', '..'],
])('catalog %s %j is not a loop of the catalog', async (command, name) => {
  const at = place('')
  const { code, stdout, stderr } = await ctl(at, 'catalog', command, name)
  expect([code, stdout]).toEqual([64, ''])
  expect(stderr).toContain('there is no loop of the catalog')
  expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  expect(readdirSync(at.work)).toEqual([])
})

test('catalog add writes through no link that leads out of the project', async () => {
  const at = place('')
  const outside = join(at.work, '..', 'outside')
  mkdirSync(outside)
  symlinkSync(outside, join(at.work, 'loops'))
  const args = ['--agent', 'repair', '--check', 'true']
  const { code, stderr } = await ctl(at, 'catalog', 'add', 'ci-sweeper', ...args)
  expect(code).not.toBe(0)
  expect(stderr).toContain('link')
  expect(readdirSync(outside)).toEqual([])
})

test('a goal file that is a link to another file is not read', async () => {
  const at = place('', { 'a.txt': 'a' })
  const outside = join(at.work, '..', 'secret.json')
  const goal = { schema: 'harness.goal.v1', id: 'x', objective: 'the secret of another project' }
  writeFileSync(outside, JSON.stringify(goal))
  symlinkSync(outside, join(at.work, 'goal.json'))
  const script = '{ script: [[{ say: Done. }]] }'
  writeFileSync(
    at.file,
    `workspace: work\nworktree: false\nloop: round\nname: g\nintent: Look.\nlevel: 1\ngoal: goal.json\nagents: { maker: ${script}, checker: ${script} }\n`,
  )
  const { code, stdout, stderr } = await ctl(at, 'run', at.file, '--trust', '--name', 'one')
  expect(code).not.toBe(0)
  expect(`${stdout}${stderr}`).not.toContain('another project')
  expect(stderr).toMatch(/goal\.json/)
  expect(existsSync(join(at.state, 'reports'))).toBe(false)
})
