import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chooseLoop } from './choose-loop.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-choose-'))
  mkdirSync(join(folder, 'loops'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string): void => writeFileSync(join(folder, name), '')

const chosen = (named?: string, pick = false): Promise<string> =>
  chooseLoop({ asks: false }, named, pick, folder).catch((error: unknown) =>
    String(error).replaceAll(`${folder}/`, ''),
  )

test('uses the named loop file, or the only one in loops/ by default', async () => {
  write('loops/one.yaml')
  write('other.yaml')
  expect(await chosen('x.yaml')).toBe('x.yaml')
  expect(await chosen()).toBe(join(folder, 'loops/one.yaml'))
})

test('lists several loop files without guessing, and leaves out the configuration', async () => {
  write('loops/one.yaml')
  write('loops/two.yml')
  write('three.yaml')
  write('loopwright.yaml')
  expect(await chosen()).toBe(
    'LoopError: Name a loop file, or pass --pick: loopctl run <file>. There are: loops/one.yaml, loops/two.yml, three.yaml.',
  )
  expect(await chosen(undefined, true)).toContain('--pick needs a terminal. Name one')
  expect(await chosen('x.yaml', true)).toContain(
    '--pick and the file x.yaml conflict; use one of them.',
  )
})

test('without a loop file, says how to write or name one', async () => {
  expect(await chosen()).toContain(
    'There is no loop file in loops/ or in this folder. Write one: loopctl init.',
  )
})
