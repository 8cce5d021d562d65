import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { askSession } from './git-session.ts'
import { changeRef } from './refs.ts'
import { findRepository, type Repository } from './repository.ts'
import { type GitCall, type RunGit, runGit } from './run-git.ts'
import { GitError } from './run-program.ts'
import { sessionOutputBytesMax, toSessionCall } from './session-calls.ts'

let gitDir: string
beforeEach(async () => {
  gitDir = mkdtempSync(join(tmpdir(), 'loopwright-session-'))
  await runGit({ at: { gitDir }, command: 'init', options: ['--bare', '-q'] })
})
afterEach(() => rmSync(gitDir, { recursive: true, force: true }))

async function write(text: string): Promise<string> {
  const options = ['-w', '--stdin']
  const input = Buffer.from(text)
  const { stdout } = await runGit({ at: { gitDir }, command: 'hash-object', options, input })
  return stdout.toString('latin1').trim()
}

const batch = (names: readonly string[], options: readonly string[]): GitCall => ({
  at: { gitDir },
  command: 'cat-file',
  options,
  input: Buffer.from(names.map((name) => `${name}\n`).join('')),
})

/** The same call in a process for itself, because it can be canceled. */
const alone = (call: GitCall): GitCall => ({ ...call, signal: new AbortController().signal })

describe('the answers of a session are those of a separate process', () => {
  test('for lookups and contents, found or not, whatever they contain', async () => {
    const texts = ['', 'one\n', '\n\n', `${'0'.repeat(40)} blob 3\nabc\n`, 'x'.repeat(300_000)]
    const ids: string[] = []
    for (const text of texts) ids.push(await write(text))
    const names = [...ids, '1'.repeat(40), 'HEAD', 'a b c', ' info', ids[1] ?? '']
    const calls = [
      batch(names, ['--batch-check']),
      { ...batch(names, ['--batch']), outputBytesMax: sessionOutputBytesMax },
    ]
    for (const call of calls) {
      expect(toSessionCall(call)).toBeDefined()
      expect(toSessionCall(alone(call))).toBeUndefined()
      const expected = await runGit(alone(call))
      expect((await runGit(call)).stdout.equals(expected.stdout)).toBe(true)
    }
  })

  test('for an object that is written after the session began', async () => {
    const missing = '89b24ecec50c07aef0d6640a2a9f6dc354a33125'
    const call = batch([missing], ['--batch-check'])
    expect((await runGit(call)).stdout.toString()).toBe(`${missing} missing\n`)
    expect(await write('later\n')).not.toBe(missing)
    const later = await write('written later\n')
    const { stdout } = await runGit(batch([later], ['--batch-check']))
    expect(stdout.toString()).toBe(`${later} blob 14\n`)
  })
})

describe('a session', () => {
  test.each([
    ['an empty name, which would end it', '\n'],
    ['a line without an end', 'HEAD'],
    ['a long input', 'HEAD\n'.repeat(10_000)],
  ])('is not used for %s', (_, text) => {
    const call = { ...batch([], ['--batch-check']), input: Buffer.from(text) }
    expect(toSessionCall(call)).toBeUndefined()
  })

  test('is not used for contents that may be long', () => {
    expect(toSessionCall(batch(['HEAD'], ['--batch']))).toBeUndefined()
  })

  test('changes refs one after the other, and only from the given value', async () => {
    const repository: Repository = await findRepository(gitDir)
    const ids: string[] = []
    for (const text of ['a', 'b', 'c']) ids.push(await write(text))
    const [one, two, three] = ids
    const change = (from: string | undefined, to: string | undefined): Promise<boolean> =>
      changeRef(runGit, repository, { ref: 'refs/loopwright/x', from, to })
    expect(await change(undefined, one)).toBe(true)
    expect(await change(undefined, two)).toBe(false)
    expect(await change(one, two)).toBe(true)
    expect(await change(one, three)).toBe(false)
    const { stdout } = await runGit(batch(['refs/loopwright/x'], ['--batch-check']))
    expect(stdout.toString()).toBe(`${two} blob 1\n`)
    expect(await change(two, undefined)).toBe(true)
    expect(await change(undefined, three)).toBe(true)
  })

  test('changes refs in a session, and deletes them outside it', async () => {
    const calls: GitCall[] = []
    const git: RunGit = (call) => {
      calls.push(call)
      return runGit(call)
    }
    const repository = await findRepository(gitDir)
    const [one, two] = [await write('one'), await write('two')]
    const ref = 'refs/loopwright/x'
    await changeRef(git, repository, { ref, from: undefined, to: one })
    await changeRef(git, repository, { ref, from: one, to: two })
    await changeRef(git, repository, { ref, from: two, to: undefined })
    expect(calls.map((call) => toSessionCall(call) !== undefined)).toEqual([true, true, false])
  })

  describe('that was killed while it changed a ref', () => {
    const scene = async () => {
      const repository: Repository = await findRepository(gitDir)
      const [one, two, three] = [await write('a'), await write('b'), await write('c')]
      const move = (git: RunGit, from: string | undefined, to: string): Promise<boolean> =>
        changeRef(git, repository, { ref: 'refs/loopwright/x', from, to })
      return { one, two, three, move }
    }
    /** The first call is killed: after it did its work, or before. */
    const killed = (why: 'lost' | 'timeout', isDone: boolean): RunGit => {
      let calls = 0
      return async (call) => {
        if (call.command !== 'update-ref' || ++calls > 1) return runGit(call)
        if (isDone) await runGit(call)
        throw new GitError(why, 'git update-ref', '')
      }
    }

    test.each(['lost', 'timeout'] as const)('has moved it if the ref says so: %s', async (why) => {
      const { one, two, move } = await scene()
      await move(runGit, undefined, one)
      expect(await move(killed(why, true), one, two)).toBe(true)
    })

    test('is asked again if the ref did not move', async () => {
      const { one, two, three, move } = await scene()
      await move(runGit, undefined, one)
      expect(await move(killed('lost', false), one, two)).toBe(true)
      expect(await move(killed('lost', false), one, three)).toBe(false)
    })

    test('does not claim a new ref that another process may have created', async () => {
      const { one, move } = await scene()
      expect(await move(killed('lost', true), undefined, one)).toBe(false)
    })

    test('is known to be killed, not refused', async () => {
      const script = 'read line; kill -9 $$'
      const program = { name: 'killed', program: '/bin/sh', args: ['-c', script], env: {} }
      const limits = { timeoutMs: 20_000, outputBytesMax: 1000, isComplete: () => false }
      const asked = askSession(`${gitDir} killed`, program, {
        input: Buffer.from('x\n'),
        ...limits,
      })
      await expect(asked).rejects.toMatchObject({ why: 'lost' })
    })
  })

  test('is not used to move a ref with a reason, which the reflog shows', () => {
    const input = Buffer.from('update refs/heads/main\0a\0b\0')
    const update = (reason: string): GitCall => ({
      at: { gitDir },
      command: 'update-ref',
      options: ['-m', reason, '-z', '--stdin'],
      input,
    })
    expect(toSessionCall(update('loopwright'))).toBeDefined()
    expect(toSessionCall(update('loopwright: landed'))).toBeUndefined()
  })

  test('is not used to delete a ref, for which git locks all packed refs', () => {
    const options = ['-m', 'loopwright', '-z', '--stdin']
    const input = Buffer.from('delete refs/heads/main\0a\0')
    const call = { at: { gitDir }, command: 'update-ref', options, input }
    expect(toSessionCall(call)).toBeUndefined()
  })
})

test('a session ends when it is idle, but not while it works, and then another one answers', async () => {
  const script = 'while read line; do sleep 0.3; echo "$$ $line"; done'
  const program = { name: 'slow', program: '/bin/sh', args: ['-c', script], env: {} }
  const ask = async (text: string): Promise<string> => {
    const isComplete = (output: Buffer): boolean => output.includes('\n')
    const limits = { timeoutMs: 20_000, outputBytesMax: 1000 }
    const question = { input: Buffer.from(`${text}\n`), isComplete, ...limits }
    return (await askSession(gitDir, program, question, 50)).toString()
  }
  const answers = await Promise.all([ask('one'), ask('two')])
  const [first, second] = answers.map((answer) => answer.split(' ')[0])
  expect(answers).toEqual([`${first} one\n`, `${first} two\n`])
  expect(second).toBe(first)
  await expect.poll(() => existsSync(`/proc/${first}/cmdline`)).toBe(false)
  expect(await ask('three')).not.toContain(`${first} `)
})

test('the object format of a repository is known by its empty tree', async () => {
  const other = mkdtempSync(join(tmpdir(), 'loopwright-session-'))
  try {
    const options = ['--bare', '-q', '--object-format=sha256']
    await runGit({ at: { gitDir: other }, command: 'init', options })
    expect((await findRepository(other)).objectFormat).toBe('sha256')
    expect((await findRepository(gitDir)).objectFormat).toBe('sha1')
  } finally {
    rmSync(other, { recursive: true, force: true })
  }
})
