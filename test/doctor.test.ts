// What doctor finds on a machine. Values of keys are never part of it.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { examine } from '../src/host/doctor.ts'
import { openHost } from '../src/host/index.ts'

let folder: string
let keys: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-doctor-'))
  keys = join(folder, 'loopwright', 'keys')
  mkdirSync(join(folder, 'loopwright'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const look = (environment: Readonly<Record<string, string>> = {}) =>
  examine(join(folder, 'state'), { XDG_CONFIG_HOME: folder, ...environment })

function writeKeys(text: string, mode = 0o600): void {
  writeFileSync(keys, text)
  chmodSync(keys, mode)
}

test('a machine without any setup is described correctly', async () => {
  const found = await look()
  expect(found.record).toEqual({ folder: join(folder, 'state'), exists: false, problems: [] })
  expect(found.keys).toEqual({
    file: keys,
    fileState: 'absent',
    providers: [
      { provider: 'anthropic', key: 'none', variable: 'ANTHROPIC_API_KEY' },
      { provider: 'openai', key: 'none', variable: 'OPENAI_API_KEY' },
      { provider: 'google', key: 'none', variable: 'GEMINI_API_KEY' },
    ],
  })
  expect(['strong', 'basic', 'none']).toContain(found.sandbox.tier)
  expect(found.sandbox.reason).not.toBe('')
  const isStrong = found.sandbox.tier === 'strong'
  expect(isStrong ? ['overlay', 'scratch'] : ['copy']).toContain(found.dependencies.mode)
  expect(found.dependencies.reason).not.toBe('')
  expect(found.observes.reason).not.toBe('')
  const canObserve = found.dependencies.mode === 'overlay'
  expect(canObserve ? ['overlay', 'none'] : ['none']).toContain(found.observes.writes)
})

test('keys are found in the environment first, then in the file, and never shown', async () => {
  writeKeys('ANTHROPIC_API_KEY=canary-file-1\nOPENAI_API_KEY=canary-file-2\n')
  const found = await look({
    OPENAI_API_KEY: 'canary-environment-1',
    GOOGLE_API_KEY: 'canary-environment-2',
    GEMINI_API_KEY: ' ',
  })
  expect(found.keys).toMatchObject({
    fileState: 'usable',
    providers: [
      { provider: 'anthropic', key: 'file' },
      { provider: 'openai', key: 'environment', variable: 'OPENAI_API_KEY' },
      { provider: 'google', key: 'environment', variable: 'GOOGLE_API_KEY' },
    ],
  })
  expect(JSON.stringify(found)).not.toContain('canary')
})

test('a key file that others can read is refused, with the command that fixes it', async () => {
  writeKeys('ANTHROPIC_API_KEY=canary\n', 0o644)
  const found = await look()
  expect(found.keys).toMatchObject({
    fileState: 'refused',
    problem: expect.stringContaining(`chmod 600 ${keys}`),
    providers: [{ key: 'none' }, { key: 'none' }, { key: 'none' }],
  })
  expect(JSON.stringify(found)).not.toContain('canary')
})

test('other base URLs are shown without the secrets in them', async () => {
  const found = await look({
    ANTHROPIC_BASE_URL: 'https://api.anthropic.com/',
    OPENAI_BASE_URL: 'http://ann:canary@127.0.0.1:8080/v1/?key=canary',
    GOOGLE_GEMINI_BASE_URL: 'canary://x',
  })
  const [anthropic, openai, google] = found.keys.providers
  expect(anthropic).toEqual({ provider: 'anthropic', key: 'none', variable: 'ANTHROPIC_API_KEY' })
  expect(openai).toMatchObject({
    baseUrl: 'http://127.0.0.1:8080/v1',
    problem: expect.stringContaining('contains a secret'),
  })
  expect(google?.problem).toContain('does not begin with http:// or https://')
  expect(google).not.toHaveProperty('baseUrl')
  expect(JSON.stringify(found)).not.toContain('canary')
})

test('a state folder that cannot be opened is a finding, and an intact one is reported as such', async () => {
  const state = join(folder, 'state')
  const host = await openHost({ folder: state })
  await host.close()
  expect((await look()).record).toMatchObject({ exists: true, problems: [] })
  writeFileSync(join(state, 'journal.db'), 'no database at all'.repeat(1000))
  const { record, sandbox } = await look()
  expect(record).toMatchObject({ exists: true, problems: [expect.any(String)] })
  expect(sandbox.reason).not.toBe('')
})
