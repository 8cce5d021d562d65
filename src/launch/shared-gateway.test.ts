import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSharedGateway, keysFile, ownAddresses } from './shared-gateway.ts'

let folder: string
let environment: Record<string, string>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-door-'))
  mkdirSync(join(folder, 'loopwright'))
  mkdirSync(join(folder, 'run'))
  environment = { XDG_CONFIG_HOME: folder }
  vi.stubEnv('XDG_RUNTIME_DIR', join(folder, 'run'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function writeKeys(text: string, mode: number): void {
  const file = keysFile(environment)
  writeFileSync(file, text)
  chmodSync(file, mode)
}

test('all agents of a host have one gateway, and nothing of it stays', async () => {
  const door = createSharedGateway(environment)
  const [one, other] = await Promise.all([door.gateway(), door.gateway()])
  expect(one).toBe(other)
  expect(readdirSync(join(folder, 'run'))).toHaveLength(1)
  await door.close()
  expect(readdirSync(join(folder, 'run'))).toEqual([])
})

test('one that was never opened is closed at once', async () => {
  await createSharedGateway(environment).close()
  expect(readdirSync(join(folder, 'run'))).toEqual([])
})

test('keys are in the environment, or in a file that is only mine', async () => {
  writeKeys('OPENAI_API_KEY=sk-filed\n', 0o600)
  const door = createSharedGateway({ ...environment, ANTHROPIC_API_KEY: 'sk-set' })
  const has = await Promise.all(['anthropic', 'openai', 'google'].map((name) => door.hasKey(name)))
  expect(has).toEqual([true, true, false])
})

test('a file of keys that others can read is refused, until it is repaired', async () => {
  writeKeys('OPENAI_API_KEY=sk-filed\n', 0o644)
  const door = createSharedGateway(environment)
  await expect(door.gateway()).rejects.toMatchObject({ code: 'not-configured' })
  writeKeys('OPENAI_API_KEY=sk-filed\n', 0o600)
  await door.gateway()
  await door.close()
})

test('an address with a key in it is refused, and the key is not repeated', async () => {
  for (const address of ['https://me:canary-key@example.test/', 'https://x.test/?k=canary-key']) {
    const door = createSharedGateway({ ...environment, ANTHROPIC_BASE_URL: address })
    const refused = await door.gateway().catch(String)
    expect(refused).toContain('contains credentials')
    expect(refused).not.toContain('canary-key')
  }
  expect(readdirSync(join(folder, 'run'))).toEqual([])
})

test('providers are where their own clients would look for them', () => {
  expect(
    ownAddresses({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      OPENAI_BASE_URL: '',
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:3',
      OTHER_BASE_URL: 'http://127.0.0.1:4',
    }),
  ).toEqual([
    ['anthropic', 'http://127.0.0.1:1'],
    ['google', 'http://127.0.0.1:3'],
  ])
})
