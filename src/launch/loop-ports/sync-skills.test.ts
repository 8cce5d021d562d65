import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { syncSkills } from './sync-skills.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'loopwright-sync-'))
  mkdirSync(join(root, 'from/one'), { recursive: true })
  writeFileSync(join(root, 'from/one/SKILL.md'), 'new')
  symlinkSync('/etc/hostname', join(root, 'from/one/link'))
  mkdirSync(join(root, 'from/no-skill'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const dirs = () => ({ builtInDir: join(root, 'from'), syncDir: join(root, 'to/skills') })

test('skills are copied without links, and what is only in the other folder stays', () => {
  mkdirSync(join(root, 'to/skills/own'), { recursive: true })
  expect(syncSkills({ enabled: true, ...dirs() })).toBeUndefined()
  expect(readdirSync(join(root, 'to/skills')).toSorted()).toEqual(['one', 'own'])
  expect(readdirSync(join(root, 'to/skills/one'))).toEqual(['SKILL.md'])
  expect(readFileSync(join(root, 'to/skills/one/SKILL.md'), 'utf8')).toBe('new')
})

test('nothing is copied if it is off, or where the folders contain each other', () => {
  expect(syncSkills(dirs())).toBeUndefined()
  expect(syncSkills({ enabled: true, syncOnStart: false, ...dirs() })).toBeUndefined()
  expect(existsSync(join(root, 'to'))).toBe(false)
  const nested = { builtInDir: join(root, 'from'), syncDir: join(root, 'from/copy') }
  expect(syncSkills({ enabled: true, ...nested })).toMatch(/must not contain each other/)
})
