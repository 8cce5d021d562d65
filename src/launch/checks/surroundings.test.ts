import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Surroundings, surroundingsIn } from './surroundings.ts'

function digestWith(home: string, folder: string): string {
  const environment = { HOME: home, PATH: `${folder}:/usr/bin:/bin` }
  const summary = { tier: 'strong', limits: [] } as unknown as Surroundings['summary']
  const sandbox = {} as unknown as Surroundings['sandbox']
  return surroundingsIn({ sandbox, summary, environment, project: '/project' })()
}

test('another toolchain on the PATH changes the answers', () => {
  const home = mkdtempSync(join(tmpdir(), 'surroundings-'))
  const folder = join(home, 'tools')
  mkdirSync(folder)
  writeFileSync(join(folder, 'python3'), 'one', { mode: 0o755 })
  const before = digestWith(home, folder)
  expect(digestWith(home, folder)).toBe(before)
  // The system may have one too, which did not change.
  writeFileSync(join(folder, 'python3'), 'another', { mode: 0o755 })
  expect(digestWith(home, folder)).not.toBe(before)
})

test.each(['.pyenv/version', '.rustup/settings.toml', '.tool-versions'])(
  'so does another selection of a version manager: %s',
  (file) => {
    const home = mkdtempSync(join(tmpdir(), 'surroundings-'))
    mkdirSync(join(home, file, '..'), { recursive: true })
    writeFileSync(join(home, file), '3.11')
    const before = digestWith(home, join(home, 'tools'))
    writeFileSync(join(home, file), '3.12.1')
    expect(digestWith(home, join(home, 'tools'))).not.toBe(before)
  },
)
