import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listSandboxFiles } from './inside-files.ts'

let folder: string
let project: string

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-tool-')))
  project = join(folder, 'project')
  const files = (await listSandboxFiles(folder, [])).map(
    ({ name, content }) => [name, content] as const,
  )
  const others = [
    ['cargo', '#!/bin/sh\necho "$@"\n'],
    ['project/src/lib.rs', ''],
  ] as const
  for (const [name, content] of [...files, ...others]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  chmodSync(join(folder, 'cargo'), 0o755)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['test -q', ['tests/a.rs', 'tests/b.rs'], 'test --no-fail-fast --test=a --test=b -q'],
  ['+stable test', ['src/x/y.rs', 'src/lib.rs'], '+stable test --no-fail-fast --lib'],
  // They cannot be determined, or the command selects them.
  ['test', ['tests/a.rs', 'tests/common/mod.rs'], 'test --no-fail-fast'],
  ['test', ['crates/x/tests/a.rs'], 'test --no-fail-fast'],
  ['test -p x', ['tests/a.rs'], 'test --no-fail-fast -p x'],
  ['test --test=b', ['tests/a.rs'], 'test --no-fail-fast --test=b'],
  ['test --no-fail-fast', [], 'test --no-fail-fast'],
])('cargo builds only binaries with wanted tests: %s %j', (given, wanted, expected) => {
  const files = wanted.map((file) => join(project, file))
  writeFileSync(join(folder, 'only.json'), JSON.stringify({ files, titles: [] }))
  const args = [join(folder, 'run-tool.cjs'), 'cargo', join(folder, 'cargo'), ...given.split(' ')]
  const printed = execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
  expect(printed.trim()).toBe(expected)
})
