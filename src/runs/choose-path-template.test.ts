import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { choosePathTemplate } from './choose-path-template.ts'

let checkout: string

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'loopwright-template-'))
})

afterEach(() => rm(checkout, { recursive: true, force: true }))

const write = (text: string): Promise<void> => writeFile(join(checkout, 'tsconfig.json'), text)

test('a worktree has no dot in its name where TypeScript would take it for a file', async () => {
  const plain = '../{{ repo }}-{{ run_branch | sanitize }}'
  await write('{\n  // All of it.\n  "include": ["types", "."],\n}')
  expect(await choosePathTemplate({ checkout }, undefined)).toBe(plain)
  expect(await choosePathTemplate({ checkout }, '../x')).toBe('../x')
  await write('{ "include": ["./"] }')
  expect(await choosePathTemplate({ checkout }, undefined)).toBe(plain)
})

test('a worktree has the default name elsewhere', async () => {
  expect(await choosePathTemplate({ checkout }, undefined)).toBeUndefined()
  await write('{ "include": ["src", "./test"], "exclude": ["."] }')
  expect(await choosePathTemplate({ checkout }, undefined)).toBeUndefined()
  expect(await choosePathTemplate({ checkout: undefined }, undefined)).toBeUndefined()
})
