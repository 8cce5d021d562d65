import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findWorkspaceSecrets } from './find-secrets.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-secrets-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('finds secrets by name in files and in the environment', async () => {
  writeFileSync(
    join(folder, '.env'),
    'export API_KEY="sk-1234567890"\nNODE_ENV=production\nDATABASE_URL=postgres://me:p%40ss-word-1@db/x\n',
  )
  writeFileSync(join(folder, '.env.local'), "SESSION_SECRET='abc-123-def'\nTOKEN=short\n")
  const environment = {
    GITHUB_TOKEN: 'ghp_0123456789',
    SSH_AUTH_SOCK: '/tmp/agent.1',
    PATH: '/bin',
  }
  expect(new Set(await findWorkspaceSecrets([folder, undefined], environment))).toEqual(
    new Set(['ghp_0123456789', 'sk-1234567890', 'p%40ss-word-1', 'p@ss-word-1', 'abc-123-def']),
  )
})

test('ignores words, paths and symlinks', async () => {
  writeFileSync(join(folder, '.env'), 'TOKEN=production\nPRIVATE_KEY=/etc/ssl/key-1.pem\n')
  writeFileSync(join(folder, 'elsewhere'), 'TOKEN=sk-1234567890\n')
  symlinkSync('elsewhere', join(folder, '.env.link'))
  expect(await findWorkspaceSecrets([folder, join(folder, 'gone')], {})).toEqual([])
})
