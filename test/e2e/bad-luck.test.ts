/** Machines on which something is missing, by the built loopctl: what it says, and what it leaves. */

import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ctlWith, environment, type Place } from './loop-fixture.ts'
import { repository, run } from './worktree-fixture.ts'

const once = `
prompt: Write.
checks: { written: test -f out.txt }
agent: { command: [bash, -c, 'echo 1 > out.txt'] }
`

test('without git, nothing of a repository is taken for a folder or for gone', async () => {
  const at = repository(once)
  expect(await run(at, '--name', 'first')).toMatchObject({ code: 0 })
  const before = at.seen()
  const none = { PATH: pathWithoutGit(at) }
  const started = await ctlWith(at, none, 'run', at.file, '--trust')
  expect(started).toMatchObject({ code: 69 })
  expect(started.stderr).toMatch(/no git on PATH.*Install git, or .*--in-place/s)
  for (const command of [['worktrees'], ['worktrees', 'clean'], ['diff', 'first']]) {
    const ended = await ctlWith(at, none, ...command)
    expect(ended).toMatchObject({ code: 69, stdout: '' })
    expect(ended.stderr).toContain('no git on PATH')
  }
  expect(await ctlWith(at, none, 'list')).toMatchObject({ code: 0 })
  expect(at.seen()).toBe(before)
  expect(await ctlWith(at, none, 'run', at.file, '--trust', '--in-place')).toMatchObject({
    code: 0,
  })
})

test('without a folder for temporary files, it says which variable names it', async () => {
  const at = repository(once)
  const folder = join(dirname(at.work), 'gone')
  for (const variable of ['TMPDIR', 'XDG_RUNTIME_DIR']) {
    const { code, stderr } = await ctlWith(at, { [variable]: folder }, 'run', at.file, '--trust')
    // A runtime folder that is not there is not used at all.
    expect({ variable, code }).toEqual({ variable, code: variable === 'TMPDIR' ? 74 : 0 })
    if (code !== 0)
      expect(stderr).toMatch(/TMPDIR names .*gone, which is not there: make it, or unset/)
  }
})

/** Links to all programs that there are, but for git. */
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
    // A folder of PATH that comes before has one.
  }
}
