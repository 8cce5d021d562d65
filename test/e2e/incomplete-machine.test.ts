/**
 * Machines on which something is missing, by the built loopctl: what it prints, and what it leaves
 * behind.
 */

import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunRow } from '../../src/engine/index.ts'
import { ctl, ctlApart, type Ended, environment, leftAt, type Place } from './loop-fixture.ts'
import { folderOf, repository, run } from './worktree-fixture.ts'

const once = `
prompt: Write.
checks: { written: test -f out.txt }
agent: { command: [bash, -c, 'echo 1 > out.txt'] }
`

test('without git, a repository is not mistaken for a plain folder or for deleted', async () => {
  const at = repository(once)
  expect(await run(at, '--name', 'first')).toMatchObject({ code: 0 })
  const before = at.seen()
  const none = { PATH: pathWithoutGit(at) }
  const started = await ctlApart(at, none, 'run', at.file, '--trust')
  expect(started).toMatchObject({ code: 69 })
  expect(started.stderr).toMatch(/no git on PATH.*Install git, or .*--in-place/s)
  for (const command of [['worktrees'], ['worktrees', 'clean'], ['diff', 'first']]) {
    const ended = await ctlApart(at, none, ...command)
    expect(ended).toMatchObject({ code: 69, stdout: '' })
    expect(ended.stderr).toContain('no git on PATH')
  }
  expect(await ctlApart(at, none, 'list')).toMatchObject({ code: 0 })
  expect(at.seen()).toBe(before)
  expect(await ctlApart(at, none, 'run', at.file, '--trust', '--in-place')).toMatchObject({
    code: 0,
  })
})

test('a missing temporary folder is reported with the variable that set it', async () => {
  const at = repository(once)
  const folder = join(dirname(at.work), 'gone')
  const ended: Ended[] = []
  for (const variable of ['TMPDIR', 'XDG_RUNTIME_DIR']) {
    ended.push(await ctlApart(at, { [variable]: folder }, 'run', at.file, '--trust'))
  }
  const words = /gone \(set by TMPDIR\) does not exist\. Create it, or unset/
  // A missing runtime folder is not used at all.
  expect(ended).toMatchObject([{ code: 74, stderr: expect.stringMatching(words) }, { code: 0 }])
})

test('a killed run has the same status everywhere, and one damaged record does not hide the others', async () => {
  const at = repository(once.replace('echo 1', 'sleep 60; echo 1'))
  await leftAt(at, {}, ['run', at.file, '--trust', '--name', 'r', '--json'], 'step-', 'SIGKILL')
  expect((await ctl(at, 'list')).stdout).toMatch(/^r +interrupted /m)
  const bad = join(at.work, '.git/loopwright/worktrees/bad.json')
  writeFileSync(bad, '{')
  const warned = expect.stringMatching(
    /^warning: .*bad\.json is not a valid record.*Move the file elsewhere/,
  )
  const listed = await ctl(at, 'worktrees')
  expect(listed).toMatchObject({ code: 0, stderr: warned })
  expect(listed.stdout).toMatch(/^r .* interrupted, no commits/m)
  const kept = expect.stringContaining('its run has not ended (interrupted)')
  expect(await ctl(at, 'worktrees', 'clean', '--yes')).toMatchObject({
    code: 0,
    stderr: warned,
    stdout: kept,
  })
})

const twice = `
prompt: Write.
checks: { written: test "$(wc -l < out.txt)" -ge 2 }
agent: { command: [AGENT] }
`

test('an agent or a folder that is missing at a resume is waited for, and does not end the run', async () => {
  const at = repository(twice)
  const program = join(dirname(at.work), 'bin', 'my-agent')
  mkdirSync(dirname(program))
  writeFileSync(program, '#!/bin/sh\necho 1 >> out.txt\necho did it\n', { mode: 0o755 })
  writeFileSync(at.file, `workspace: work\n${twice.replace('AGENT', 'my-agent')}`)
  const env = { PATH: `${dirname(program)}:${process.env['PATH'] ?? ''}` }
  const resume = (): ReturnType<typeof ctl> => ctlApart(at, env, '--json', 'resume', 'r')
  const status = async (): Promise<unknown> =>
    (JSON.parse((await ctl(at, '--json', 'inspect', 'r')).stdout) as { run: RunRow }).run.status

  renameSync(program, `${program}.away`)
  const early = await ctlApart(at, env, 'run', at.file, '--trust', '--name', 'r')
  expect(early).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('the program my-agent was not found'),
  })
  expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
  renameSync(`${program}.away`, program)

  const args = ['run', at.file, '--trust', '--name', 'r', '--json']
  await leftAt(at, env, args, '"iteration-ended"')
  expect(await status()).toBe('suspended')
  renameSync(program, `${program}.away`)
  expect(await resume()).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/no program my-agent .*Install it/),
  })
  expect(await status()).toBe('suspended')
  renameSync(`${program}.away`, program)

  chmodSync(folderOf(at, 'r'), 0)
  expect(await resume()).toMatchObject({ code: 74, stderr: expect.stringContaining('chmod u+rwx') })
  expect(await status()).toBe('suspended')
  chmodSync(folderOf(at, 'r'), 0o700)
  expect(await resume()).toMatchObject({ code: 0 })
}, 60_000)

/** Symlinks to all existing programs except git. */
function pathWithoutGit(at: Place): string {
  const folder = join(dirname(at.work), 'bin')
  mkdirSync(folder)
  for (const part of (environment(at.state)['PATH'] ?? '').split(':').toReversed()) {
    for (const name of namesIn(part)) {
      if (name !== 'git') relink(join(part, name), join(folder, name))
    }
  }
  return folder
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function relink(target: string, path: string): void {
  try {
    symlinkSync(target, path)
  } catch {
    // An earlier folder on the PATH has one.
  }
}
