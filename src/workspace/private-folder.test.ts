import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createOwnerId } from '../system/index.ts'
import { makePrivateFolder } from './private-folder.ts'

let parent: string

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'loopwright-own-'))
})

afterEach(() => rmSync(parent, { recursive: true, force: true }))

/** Creates a folder that a process left behind. */
function createLeftover(name: string, owner?: string): string {
  const path = join(parent, name)
  mkdirSync(join(path, 'inner'), { recursive: true })
  if (owner !== undefined) writeFileSync(join(path, 'owner'), owner)
  return path
}

/** The owner id of a process that has ended. */
function endedOwner(): string {
  const { pid } = spawnSync('true')
  const parts = createOwnerId().split('|')
  return parts.with(2, String(pid)).join('|')
}

test('remove deletes the folder', async () => {
  const folder = await makePrivateFolder(parent)
  expect(existsSync(folder.path)).toBe(true)
  await folder.remove()
  expect(existsSync(folder.path)).toBe(false)
})

test('folders of ended processes are removed, those of running processes stay', async () => {
  const mine = await makePrivateFolder(parent)
  const dead = createLeftover('loopwright-abcdef', endedOwner())
  const elsewhere = createLeftover('loopwright-abcdeg', 'other-host|pid:[1]@boot|1|1|x')
  await makePrivateFolder(parent)
  expect([mine.path, dead, elsewhere].map((path) => existsSync(path))).toEqual([true, false, true])
})

test('a folder without an owner file stays, unless it is empty and old', async () => {
  const long = new Date(Date.now() - 7_200_000)
  const other = createLeftover('loopwright-something', endedOwner())
  const full = createLeftover('loopwright-abcdef')
  const [old, young] = ['loopwright-abcdeg', 'loopwright-abcdeh'].map((name) => {
    const path = join(parent, name)
    mkdirSync(path)
    return path
  })
  const target = createLeftover('target', endedOwner())
  const link = join(parent, 'loopwright-abcdei')
  symlinkSync(target, link)
  for (const path of [full, old ?? '']) utimesSync(path, long, long)
  await makePrivateFolder(parent)
  const there = [other, full, old, young, link, target].map((path) => existsSync(path ?? ''))
  expect(there).toEqual([true, true, false, true, true, true])
})
