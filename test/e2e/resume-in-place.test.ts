/**
 * Runs in the user's own checkout that are interrupted, and resumed after the user continued there.
 */

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, environment, loopctl } from './loop-fixture.ts'
import { type Checkout, repository } from './worktree-fixture.ts'

const slow = `
prompt: Go.
checks: { done: test -e done.txt }
exclude: [waiting, let-go]
agent:
  script:
    - - { call: write, args: { path: half.txt, content: half } }
      - { call: run, args: { command: 'test -f let-go || { touch waiting; sleep 600; }' } }
      - { call: write, args: { path: done.txt, content: yes } }
      - { say: ok }
`

/** In the folder itself, killed while its agent works. */
async function cutShort(): Promise<Checkout> {
  const at = repository(slow)
  const args = [loopctl, 'run', at.file, '--trust', '--name', 'story', '--in-place']
  const child = spawn(process.execPath, args, { env: environment(at.state), stdio: 'ignore' })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  while (!existsSync(join(at.work, 'waiting'))) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  await exited
  writeFileSync(join(at.work, 'let-go'), '')
  return at
}

test('restored files are counted, and the command that recovers what was found is printed', async () => {
  const at = await cutShort()
  writeFileSync(join(at.work, 'mine.txt'), 'mine')
  const resumed = await ctl(at, 'resume', 'story')
  expect(resumed).toMatchObject({ code: 0 })
  expect(resumed.stdout).toContain('2 files were left by an unfinished step')
  expect(existsSync(join(at.work, 'mine.txt'))).toBe(false)
  const tree = /loopctl files (\S+) <empty folder>/.exec(resumed.stdout)?.[1] ?? ''
  const folder = join(dirname(at.work), 'found')
  expect(await ctl(at, 'files', tree, folder)).toMatchObject({ code: 0 })
  expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine')
})

test('commits made in the meantime are not reverted, unless the user resumes with the files as they are', async () => {
  const at = await cutShort()
  writeFileSync(join(at.work, 'mine.txt'), 'mine')
  at.git('add', 'mine.txt')
  at.git('commit', '-q', '-m', 'mine')
  const refused = await ctl(at, 'resume', 'story')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('HEAD has changed there since')
  expect(refused.stderr).toContain('loopctl resume story --keep-files')
  expect(readFileSync(join(at.work, 'mine.txt'), 'utf8')).toBe('mine')
  const resumed = await ctl(at, 'resume', 'story', '--keep-files')
  expect(resumed).toMatchObject({ code: 0 })
  expect(readFileSync(join(at.work, 'mine.txt'), 'utf8')).toBe('mine')
  expect(existsSync(join(at.work, 'done.txt'))).toBe(true)
})
