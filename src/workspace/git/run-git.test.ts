import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gitArguments, gitEnvironment, runGit } from './run-git.ts'

let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-run-git-'))
  await runGit({ at: { gitDir: folder }, command: 'init', options: ['--bare', '-q'] })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the arguments of git', () => {
  test('have untrusted values only after --end-of-options', () => {
    const operands = fc.array(
      fc.string({ unit: fc.constantFrom('-', 'c', '=', 'u', ' ', '\n', '/') }),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(operands, (given) => {
        const args = gitArguments({
          at: { gitDir: '/x' },
          command: 'rev-parse',
          options: ['--verify'],
          operands: given,
        })
        expect(args).toEqual(['rev-parse', '--verify', '--end-of-options', ...given])
      }),
      { numRuns: 10_000 },
    )
  })

  test('cannot contain a NUL', () => {
    const call = { at: { gitDir: '/x' }, command: 'rev-parse', operands: ['a\0b'] }
    expect(() => gitArguments(call)).toThrow(/NUL/)
  })
})

test('the environment of git is built from scratch', () => {
  process.env['LOOPWRIGHT_TEST_SECRET'] = 'secret'
  const environment = gitEnvironment({ gitDir: '/x' }, '/usr/bin')
  delete process.env['LOOPWRIGHT_TEST_SECRET']
  expect(JSON.stringify(environment)).not.toContain('secret')
  expect(environment).toMatchObject({
    GIT_DIR: '/x',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: '',
  })
  expect(environment).not.toHaveProperty('GIT_WORK_TREE')
})

describe('a call', () => {
  test('that times out is killed', async () => {
    async function* never(): AsyncGenerator<Uint8Array> {
      await new Promise((done) => setTimeout(done, 3000))
      yield Buffer.from('done\n')
    }
    const call = {
      at: { gitDir: folder },
      command: 'fast-import',
      options: ['--quiet'],
      input: never(),
      timeoutMs: 100,
    }
    await expect(runGit(call)).rejects.toMatchObject({ why: 'timeout' })
  })

  test('that prints too much is killed', async () => {
    const call = { at: { gitDir: folder }, command: 'help', options: ['-a'], outputBytesMax: 10 }
    await expect(runGit(call)).rejects.toMatchObject({ why: 'output' })
  })

  test('that is aborted is killed, even before it starts', async () => {
    const signal = AbortSignal.abort()
    await expect(
      runGit({ at: { gitDir: folder }, command: 'help', options: ['-a'], signal }),
    ).rejects.toMatchObject({ why: 'aborted' })
  })

  test('that fails reports the error of git', async () => {
    const call = {
      at: { gitDir: folder },
      command: 'rev-parse',
      options: ['--verify'],
      operands: ['nope'],
    }
    await expect(runGit(call)).rejects.toThrow(/Needed a single revision/)
    expect((await runGit({ ...call, answers: [0, 128] })).exitCode).toBe(128)
  })

  test('contacts no other machine and no other repository', async () => {
    for (const url of [
      `file://${folder}`,
      folder,
      'ext::touch /nonexistent/x',
      'https://127.0.0.1:9/x',
      'git@127.0.0.1:x',
    ]) {
      await expect(
        runGit({ at: { gitDir: folder }, command: 'ls-remote', operands: [url] }),
      ).rejects.toThrow(/not allowed/)
    }
  })
})

test('nothing else in src starts git, or anything through a shell', () => {
  const root = resolve(import.meta.dirname, '..', '..')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  )
  const starters = files.filter((path) =>
    /(spawn|exec|execFile)(Sync)?\(\s*['"`]git\b|program: ['"]git['"]/.test(
      readFileSync(join(root, path), 'utf8'),
    ),
  )
  expect(starters).toEqual([])
  const shells = files.filter((path) =>
    /shell:\s*true/.test(readFileSync(join(root, path), 'utf8')),
  )
  expect(shells).toEqual([])
})
