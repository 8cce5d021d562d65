/**
 * What is inside the sandbox when a run works in a git worktree: git answers and cannot be changed,
 * symlinks lead only to what they should, and the checkout is out of reach.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, eventsOf } from './loop-fixture.ts'
import { folderOf, repository, run } from './worktree-fixture.ts'

const probes: readonly (readonly [string, string])[] = [
  ['the .git file', 'echo x > .git'],
  ['the .git file moved', 'mv .git moved'],
  ['the .git file removed', 'rm -f .git'],
  ['the settings', 'echo x >> "$(git rev-parse --git-common-dir)/config"'],
  ['a hook', 'echo x > "$(git rev-parse --git-common-dir)/hooks/post-commit"'],
  ['the HEAD of the worktree', 'echo x > "$(git rev-parse --git-dir)/HEAD"'],
  ['our record', 'rm -r "$(git rev-parse --git-common-dir)/loopwright"'],
  ['a branch', 'git branch other'],
  ['a commit', 'git -c user.name=a -c user.email=a@b commit --allow-empty -qm x'],
  ['what a link leads to', 'echo x > node_modules/pkg/index.js'],
  ['what the file says is read-only', 'echo x > sealed/test.js'],
  ['a file of the checkout', 'cat "$CHECKOUT/secret.key"'],
]

test('git works inside and cannot be changed; symlinks are read-only; the checkout is not there', async () => {
  const attempts = probes.map(
    ([what, command]) => `if (${command}) 2>/dev/null; then echo "BREACH: ${what}"; fi`,
  )
  const at = repository('', {
    '.gitignore': 'node_modules\nsecret.key\n.env\n',
    'package.json': '{}',
  })
  writeFileSync(join(at.work, 'secret.key'), 'secret')
  writeFileSync(join(at.work, '.env'), 'KEY=1')
  mkdirSync(join(at.work, 'node_modules/pkg'), { recursive: true })
  writeFileSync(join(at.work, 'node_modules/pkg/index.js'), 'module.exports = 1\n')
  mkdirSync(join(at.work, 'sealed'))
  writeFileSync(join(at.work, 'sealed/test.js'), 'sealed\n')
  writeFileSync(
    join(at.work, 'probe.sh'),
    [
      'git status --short && git diff --stat HEAD && git log --oneline -1 | wc -l',
      'cat node_modules/pkg/index.js .env',
      ...attempts,
      // Files created there exist in memory only.
      'echo x > "$CHECKOUT/new.txt"',
      'echo probed',
    ].join('\n'),
  )
  at.git('add', '-A')
  at.git('commit', '-q', '-m', 'all')
  writeFileSync(
    at.file,
    `
workspace: work
worktree:
  carry: [{ path: node_modules, by: link }, { path: .env }]
sandbox: { readOnly: [work/sealed] }
prompt: Try.
checks: { probe: { run: sh probe.sh, env: { CHECKOUT: ${JSON.stringify(at.work)} } } }
agent:
  script:
    - - { call: write, args: { path: .git, content: x } }
      - { call: write, args: { path: node_modules/pkg/index.js, content: x } }
      - { call: write, args: { path: sealed/test.js, content: x } }
      - { call: write, args: { path: done.txt, content: done } }
      - { say: tried }
`,
  )
  const before = at.seen()
  const ended = await run(at, '--name', 'walls')
  const shown = await ctl(at, '--json', 'show', 'walls', '1')
  expect(ended).toMatchObject({ code: 0 })
  expect(shown.stdout).toContain('probed')
  expect(shown.stdout).toContain('done.txt')
  expect(shown.stdout).toContain('module.exports = 1')
  expect(shown.stdout).toContain('KEY=1')
  expect(shown.stdout).not.toContain('BREACH:')
  expect(eventsOf(ended, 'run-created')).toHaveLength(1)
  expect(at.seen()).toBe(before)
  expect(readFileSync(join(at.work, 'node_modules/pkg/index.js'), 'utf8')).toBe(
    'module.exports = 1\n',
  )
  const folder = folderOf(at, 'walls')
  expect(readFileSync(join(folder, 'sealed/test.js'), 'utf8')).toBe('sealed\n')
  expect(at.git('show', '--format=', '--name-only', 'run/walls').trim()).toBe('done.txt')
})
