// A large lockfile is parsed outside the daemon's thread, which continues meanwhile.

import { expect, test } from 'vitest'

const built = new URL(
  '../dist/launch/dependencies/registry/parse-yaml-in-thread.js',
  import.meta.url,
)
const { parseYamlInThread } = (await import(built.href)) as {
  readonly parseYamlInThread: (text: string) => Promise<unknown>
}

const lockfile = (packages: number): string =>
  `lockfileVersion: '9.0'\npackages:\n${Array.from({ length: packages }, (_, index) => `  p${index}@1.0.0:\n    resolution: {integrity: sha512-x}\n`).join('')}`

async function parseCounting(text: string): Promise<{ value: unknown; ticks: number }> {
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  const value = await parseYamlInThread(text)
  clearInterval(timer)
  return { value, ticks }
}

test('parsing a large lockfile does not block the process', async () => {
  const { value, ticks } = await parseCounting(lockfile(2000))
  expect(Object.keys((value as { packages: object }).packages)).toHaveLength(2000)
  expect(ticks).toBeGreaterThan(1)
}, 60_000)

test('a lockfile with a duplicate key is not read there either', async () => {
  const { value } = await parseCounting(`${lockfile(2000)}  p1@1.0.0: {}\n`)
  expect(value).toBeUndefined()
}, 60_000)
