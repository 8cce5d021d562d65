// Worktrunk is tested with a fake `wt` that follows its documented commands (switch, remove,
// --version, -C, --config, --format=json) and creates worktrees with plain git, like the real one.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chooseProvider, removeWorktree } from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'
import { hostileAttributes, makeSettingsHostile, put } from './hostile-repository.ts'

const fakeWorktrunk = (log: string) => `#!/bin/sh
echo "$*" >> '${log}'
[ "$1" = --version ] && { echo 'wt 0.61.0'; exit 0; }
while [ $# -gt 0 ]; do
  case "$1" in
    -C) cd "$2" || exit 1; shift 2 ;;
    --config) shift 2 ;;
    *) break ;;
  esac
done
command=$1; shift
for last; do :; done
root=$(git rev-parse --show-toplevel)
path=$(dirname "$root")/$(basename "$root").$(printf %s "$last" | tr '/\\\\' '--')
case "$command" in
  switch)
    git worktree add -q "$path" "$last" >&2 || exit 1
    printf '{\\n  "action": "created",\\n  "branch": "%s",\\n  "path": "%s"\\n}\\n' "$last" "$path" ;;
  remove) git worktree remove --force "$path" >&2 || exit 1 ;;
  *) exit 2 ;;
esac
`

let fixture: GitFixture
let program: string
let log: string
beforeEach(() => {
  fixture = createGitFixture()
  program = join(fixture.folder, 'wt')
  log = join(fixture.folder, 'wt.log')
  writeFileSync(program, fakeWorktrunk(log))
  chmodSync(program, 0o755)
})
afterEach(() => fixture.remove())

test('auto uses Worktrunk if it works, else git', async () => {
  expect((await chooseProvider('auto', { program })).name).toBe('worktrunk')
  expect((await chooseProvider('auto', { program: '/nonexistent/wt' })).name).toBe('git')
  expect((await chooseProvider('git', { program })).name).toBe('git')
  await expect(chooseProvider('worktrunk', { program: '/nonexistent/wt' })).rejects.toMatchObject({
    code: 'not-available',
  })
  writeFileSync(program, '#!/bin/sh\nexit 3\n')
  expect((await chooseProvider('auto', { program })).name).toBe('git')
})

test('a worktree created by it is like any other, and no code of the repository runs', async () => {
  put(join(fixture.checkout, '.gitattributes'), hostileAttributes)
  fixture.commitAll('attributes')
  makeSettingsHostile(fixture)
  const provider = await chooseProvider('worktrunk', {
    program,
    configPath: '/nonexistent/wt.toml',
  })
  const worktree = await fixture.create({ key: 'k', provider })
  expect(worktree.provider).toBe('worktrunk')
  const workspace = await fixture.open(worktree)
  const before = await workspace.snapshot()
  writeFileSync(join(worktree.path, 'a.txt'), 'work')
  await workspace.restore(before)
  expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n')
  const repository = await fixture.repository()
  expect(await removeWorktree({ repository, key: 'k', provider })).toMatchObject({
    status: 'removed',
  })
  expect(existsSync(worktree.path)).toBe(false)
  expect(fixture.wasRun()).toBe(false)
  const calls = readFileSync(log, 'utf8')
  expect(calls).toContain(
    `-C ${fixture.checkout} --config /nonexistent/wt.toml switch --no-cd --no-hooks --yes --format=json run/fix-the-tests`,
  )
  expect(calls).toContain(
    'remove --no-delete-branch --foreground --force --no-hooks --yes run/fix-the-tests',
  )
})

test('a failed creation is a typed error and leaves no branch', async () => {
  const provider = await chooseProvider('worktrunk', { program })
  writeFileSync(program, '#!/bin/sh\necho "no such thing" >&2\nexit 1\n')
  await expect(fixture.create({ provider })).rejects.toMatchObject({
    code: 'workspace-failed',
    message: expect.stringContaining('no such thing'),
  })
  writeFileSync(program, '#!/bin/sh\necho "{}"\n')
  await expect(fixture.create({ provider })).rejects.toMatchObject({ code: 'workspace-failed' })
  writeFileSync(program, `#!/bin/sh\necho '{"path":"${fixture.checkout}"}'\n`)
  await expect(fixture.create({ provider })).rejects.toMatchObject({ code: 'workspace-failed' })
  expect(fixture.git('branch', '--list', 'run/*')).toBe('')
})
