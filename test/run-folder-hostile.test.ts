// The files of a run in a folder that a hostile process writes to as well.

import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type LoopType, listArtifacts, readArtifact, writeRunFolder } from '../src/host/index.ts'
import { newFolder, newHost } from './host-fixture.ts'
import { contentOf, start } from './run-folder-fixture.ts'
import { newRepository } from './worktree-fixture.ts'

test('whatever an agent puts in the way, nothing outside is written, and nothing blocks', async () => {
  const host = await newHost()
  const workspace = newFolder()
  const outside = newFolder()
  const { id, done } = await start(host, 'two', { workspace })
  await done
  const beside = join(workspace, 'logs', 'loop', `run-${id}`)
  writeFileSync(join(outside, 'victim'), 'as it was')
  symlinkSync(outside, join(workspace, 'logs'))
  const [, refused] = await writeRunFolder(host, id)
  expect(refused?.problem).toContain('are behind')
  expect(readdirSync(outside)).toEqual(['victim'])
  rmSync(join(workspace, 'logs'))
  await writeRunFolder(host, id)
  const expected = contentOf(beside)
  for (const [name, put] of [
    ['run.log', (at: string) => symlinkSync(join(outside, 'victim'), at)],
    ['report.tsv', (at: string) => linkSync(join(outside, 'victim'), at)],
    ['iter-01-impl.log', (at: string) => execFileSync('mkfifo', [at])],
    ['.folder.json', (at: string) => execFileSync('mkfifo', [at])],
  ] as const) {
    rmSync(join(beside, name))
    put(join(beside, name))
    rmSync(join(beside, '.folder.json'), { force: true })
    await writeRunFolder(host, id)
    expect({ name, files: contentOf(beside) }).toEqual({ name, files: expected })
  }
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('as it was')
})

test('a folder that contains anything but runs is not used for files of runs, where they would go unnoticed', async () => {
  const host = await newHost()
  const inner = newFolder()
  const { id, done } = await start(host, 'before', { workspace: inner })
  await done
  await writeRunFolder(host, id)
  mkdirSync(join(inner, 'test'))
  writeFileSync(join(inner, 'test', 'sum.test.js'), 'the tests')
  symlinkSync('test', join(inner, 'link'))
  const repository = newRepository({ 'test/sum.test.js': 'the tests' })
  for (const [workspace, logDir, why] of [
    [inner, 'test', 'sum.test.js'],
    [inner, 'logs', 'loop'],
    [inner, 'link', 'not a folder'],
    [inner, 'number.txt', 'not a folder'],
    [repository.checkout, 'test', 'sum.test.js'],
  ] as const) {
    const placed = host.place({ workspace, logDir })
    await expect(placed).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining(why),
    })
  }
  for (const logDir of ['logs/loop', 'test/runs', 'number.txt/runs', 'link/runs', undefined]) {
    const given = { workspace: inner, ...(logDir === undefined ? {} : { logDir }) }
    expect(await host.place(given)).toMatchObject({ logDir: logDir ?? 'logs/loop' })
  }
})

test('only plain files of the folder are listed and read', async () => {
  const host = await newHost()
  const workspace = newFolder()
  const { id, done } = await start(host, 'two', { workspace })
  await done
  await writeRunFolder(host, id, { mode: 'workspace' })
  const beside = join(workspace, 'logs', 'loop', `run-${id}`)
  const secret = join(newFolder(), 'secret')
  writeFileSync(secret, 'secret')
  symlinkSync(secret, join(beside, 'link.txt'))
  symlinkSync('/proc/self/environ', join(beside, 'environ.txt'))
  symlinkSync('/dev/zero', join(beside, 'zero.txt'))
  symlinkSync(join(secret, '..'), join(beside, 'folder'))
  linkSync(secret, join(beside, 'hard.txt'))
  execFileSync('mkfifo', [join(beside, 'pipe.txt')])
  mkdirSync(join(beside, 'dir.txt'))
  const listed = (await listArtifacts(host, id)).map(({ path }) => path)
  expect(listed).toContain('report.tsv')
  const bad = ['link', 'environ', 'zero', 'hard', 'pipe', 'dir'].map((name) => `${name}.txt`)
  for (const path of [
    ...bad,
    'folder/secret',
    '../../../number.txt',
    '..',
    '.',
    '',
    '/etc/passwd',
    '.folder.json',
    'report.tsv\0',
    'analysis//x',
    '%2e%2e/x',
  ]) {
    expect(listed).not.toContain(path)
    await expect(readArtifact(host, id, path)).rejects.toMatchObject({
      code: 'unknown-artifact',
    })
  }
  const { content, bytes, kind } = await readArtifact(host, id, 'report.tsv')
  const read = Buffer.concat(await content.toArray())
  expect(read.toString()).toBe(readFileSync(join(beside, 'report.tsv'), 'utf8'))
  expect([bytes, kind]).toEqual([read.length, 'report'])
})

test('the changes of a run are shown without the secrets beside them', async () => {
  const host = await newHost()
  const workspace = newFolder()
  writeFileSync(join(workspace, '.env'), 'API_TOKEN=tok-canary-1234567890\n')
  const leak: LoopType<null, null, null, null> = {
    name: 'leak',
    createContext: () => null,
    async iterate(_context, it) {
      return it.step('leak', () => {
        writeFileSync(join(workspace, 'leak.txt'), 'it is tok-canary-1234567890\n')
        return null
      })
    },
    extractProgress: () => null,
  }
  const limits = { iterations: 1 }
  const { id, done } = await host.start(leak, { input: null, name: 'leak', workspace, limits })
  await done
  const [written] = await writeRunFolder(host, id, { mode: 'global' })
  const files = contentOf(written?.path ?? '')
  expect(files['review-diff.json']).toContain('it is [secret]')
  expect(JSON.stringify(files)).not.toContain('tok-canary')
})
