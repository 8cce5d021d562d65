// The public repositories of the proof: what the list must cover, and what happens without a mirror.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runBare } from '../build/proof/repositories/bare-check.js'
import { findInMirror } from '../build/proof/repositories/clone-repository.js'
import { allRepositories, repositories } from '../build/proof/repositories/repositories.js'

const distinct = (values: readonly string[]): number => new Set(values).size

test('the list has at least 22 repositories, seven managers and ten runners', () => {
  expect(distinct(allRepositories.map(({ name }) => name))).toBe(allRepositories.length)
  expect(allRepositories.length).toBeGreaterThanOrEqual(22)
  const managers = allRepositories.map(({ manager }) => manager.replace(/, .*/, ''))
  expect(distinct(managers)).toBeGreaterThanOrEqual(7)
  expect(distinct(allRepositories.map(({ runner }) => runner))).toBeGreaterThanOrEqual(10)
})

test.each(allRepositories)('$name is pinned, and its defect is real', (repository) => {
  expect(repository.commit).toMatch(/^[0-9a-f]{40}$/)
  expect(repository.fault.good).not.toBe(repository.fault.bad)
  expect(repository.test.file).not.toBe(repository.fault.file)
})

test('without a mirror all of them are skipped, which the table shows', async () => {
  const notes: string[] = []
  const note = (text: string): void => void notes.push(text)
  const results = await repositories.run({ scale: 1, seed: undefined, note })
  expect(results).toMatchObject([{ name: 'repositories.skipped', value: allRepositories.length }])
  expect(notes.join('\n')).toContain('--mirror')
})

test('a name that is not in the list is refused, others are not looked at', async () => {
  const options = { scale: 1, seed: undefined, mirror: '/nonexistent', note: () => undefined }
  await expect(repositories.run({ ...options, repositories: ['a/b'] })).rejects.toThrow(/a\/b/)
  const results = await repositories.run({ ...options, repositories: ['unjs/ufo', 'vercel/ms'] })
  expect(results).toMatchObject([{ name: 'repositories.skipped', value: 2 }])
})

test('a mirror may hold owner+name/repo, owner/name.git or owner/name', () => {
  const mirror = mkdtempSync(join(tmpdir(), 'loopwright-mirror-'))
  try {
    for (const path of ['a+b/repo', 'c/d.git', 'e/f']) {
      mkdirSync(join(mirror, path), { recursive: true })
    }
    expect(findInMirror(mirror, 'a/b')).toBe(join(mirror, 'a+b', 'repo'))
    expect(findInMirror(mirror, 'c/d')).toBe(join(mirror, 'c', 'd.git'))
    expect(findInMirror(mirror, 'e/f')).toBe(join(mirror, 'e', 'f'))
    expect(findInMirror(mirror, 'g/h')).toBeUndefined()
  } finally {
    rmSync(mirror, { recursive: true, force: true })
  }
})

test('the bare check uses nothing that earlier runs compiled, as a certification does not', async () => {
  const work = mkdtempSync(join(tmpdir(), 'loopwright-bare-'))
  try {
    const folder = join(work, 'project')
    const files = [
      'node_modules/.cache/esm/a',
      'packages/a/node_modules/.cache/b',
      'src/__pycache__/c',
      '.venv/lib/__pycache__/kept',
      'node_modules/a/index.js',
    ]
    for (const path of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), '')
    }
    const clone = { folder, path: process.env['PATH'] ?? '' }
    const check = 'find . -type f | sort; ls -A "$TMPDIR"; echo > "$TMPDIR/left"'
    for (let time = 0; time < 2; time++) {
      const { output } = await runBare(check, clone, work)
      expect(output).toBe('./.venv/lib/__pycache__/kept\n./node_modules/a/index.js\n')
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})
