import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../test/after.ts'
import { clientOf, daemonFolder } from './find-daemon.ts'

test('a token that others can read is not sent: it is said what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-find-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(daemonFolder(folder))
  const token = join(daemonFolder(folder), 'token')
  writeFileSync(token, 'the-token\n', { mode: 0o600 })
  chmodSync(token, 0o644)
  expect(clientOf(folder)).toBeUndefined()
  const file = { pid: 1, address: 'http://127.0.0.1:1', startedAtMs: 1, version: '0' }
  writeFileSync(join(daemonFolder(folder), 'daemon.json'), JSON.stringify(file))
  expect(() => clientOf(folder)).toThrow(/others \(mode 644\).*loopctl daemon token --rotate/)
  expect(clientOf(folder, 'another')).toBeDefined()
  chmodSync(token, 0o600)
  expect(clientOf(folder)).toBeDefined()
})
