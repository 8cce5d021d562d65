/**
 * What an agent puts into a folder that is no repository, for the next run to fall for: a git to be run by
 * the host, a `.git` that leads elsewhere.
 */

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { inProof } from '../share.ts'
import { ctl, ctlApart, placeFor } from './loop-fixture.ts'
import { repository } from './worktree-fixture.ts'

const loop = (script: string): string => `
prompt: Work.
checks: { fine: 'true' }
limits: { iterations: 1 }
agent: { script: [${script}] }
`

test('a git of the project is not run, as npx would have it', async () => {
  const at = repository(loop('[{ say: done }]'), { '.gitignore': 'node_modules\n' })
  const bin = join(at.work, 'node_modules/.bin')
  const marker = join(dirname(at.work), 'MARKER')
  mkdirSync(bin, { recursive: true })
  for (const name of ['git', 'wt']) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\necho ${name} >> ${marker}\nexec /usr/bin/${name} "$@"\n`,
    )
    chmodSync(join(bin, name), 0o755)
  }
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` }
  // A process that has found git once would not look again.
  const ended = await ctlApart(at, env, '--json', 'run', at.file, '--trust', '--name', 'one')
  expect(ended).toMatchObject({ code: 0 })
  expect(at.git('branch', '--list', 'run/one')).toContain('run/one')
  expect(existsSync(marker) ? readFileSync(marker, 'utf8') : '').toBe('')
})

test.each(inProof)(
  'a .git that an agent made leads to nothing of the person, and the next run says so',
  async () => {
    const theirs = repository(loop('[{ say: no }]'), { 'secret.txt': 'PRIVATE-42\n' })
    const before = theirs.git('for-each-ref')
    const at = placeFor(loop('[{ say: done }]'))
    const first = await ctl(at, 'run', at.file, '--trust', '--in-place', '--name', 'first')
    expect(first).toMatchObject({ code: 0 })
    // As its agent could have done it.
    mkdirSync(join(at.work, '.git'))
    writeFileSync(join(at.work, '.git/HEAD'), 'ref: refs/heads/none\n')
    writeFileSync(join(at.work, '.git/commondir'), join(theirs.work, '.git'))
    const next = await ctl(at, 'run', at.file, '--trust', '--name', 'next', '--again')
    expect(next).toMatchObject({ code: 64 })
    expect(next.stderr).toContain('may have been created by the agent of run "first"')
    const vouched = await ctl(at, 'run', at.file, '--trust', '--name', 'vouched', '--worktree')
    expect(vouched.code).not.toBe(0)
    expect(vouched.stderr).toContain('points to another repository')
    expect(theirs.git('for-each-ref')).toBe(before)
    expect(existsSync(join(dirname(at.work), 'work.run-next'))).toBe(false)
  },
)
