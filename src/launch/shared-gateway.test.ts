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

test('all agents of a host share one gateway, and nothing of it remains', async () => {
  const door = createSharedGateway(environment)
  const [one, other] = await Promise.all([door.gateway(), door.gateway()])
  expect(one).toBe(other)
  expect(readdirSync(join(folder, 'run'))).toHaveLength(1)
  await door.close()
  expect(readdirSync(join(folder, 'run'))).toEqual([])
})

test('a gateway that was never opened closes at once', async () => {
  await createSharedGateway(environment).close()
  expect(readdirSync(join(folder, 'run'))).toEqual([])
})

test('keys are in the environment, or in a private file', async () => {
  writeKeys('OPENAI_API_KEY=sk-filed\n', 0o600)
  const door = createSharedGateway({ ...environment, ANTHROPIC_API_KEY: 'sk-set' })
  const has = await Promise.all(['anthropic', 'openai', 'google'].map((name) => door.hasKey(name)))
  expect(has).toEqual([true, true, false])
})

test('a key file that others can read is refused until its mode is fixed', async () => {
  writeKeys('OPENAI_API_KEY=sk-filed\n', 0o644)
  const door = createSharedGateway(environment)
  await expect(door.gateway()).rejects.toMatchObject({ code: 'not-configured' })
  writeKeys('OPENAI_API_KEY=sk-filed\n', 0o600)
  await door.gateway()
  await door.close()
})

test('a URL that contains a key is refused, and the key is not repeated', async () => {
  for (const address of ['https://me:canary-key@example.test/', 'https://x.test/?k=canary-key']) {
    const door = createSharedGateway({ ...environment, ANTHROPIC_BASE_URL: address })
    const refused = await door.gateway().catch(String)
    expect(refused).toContain('contains credentials')
    expect(refused).not.toContain('canary-key')
  }
  expect(readdirSync(join(folder, 'run'))).toEqual([])
})

test('providers are reached at the URLs that their own clients would use', () => {
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
