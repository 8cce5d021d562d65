/**
 * What is tried before a run spends anything, by the built loopctl: what is missing is said before a
 * worktree is made, what cannot run ends the run, and what was solved before is not done again.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inProof, share } from '../share.ts'
import { ctl, endOf, eventsOf, type Line, placeFor } from './loop-fixture.ts'
import { type Checkout, folderOf, repository, run } from './worktree-fixture.ts'

/** The agent writes where it can be seen that it was started. */
const loopWith = (check: string, work = 'echo b > a.txt; echo x >> ../agent-was-here'): string => `
prompt: Do it.
checks: { it: ${JSON.stringify(check)} }
agent: { command: [sh, -c, ${JSON.stringify(work)}] }
limits: { iterations: 3 }
sandbox: { require: none }
`

const attended = (at: Checkout, ...more: string[]): ReturnType<typeof run> =>
  run(at, '--attended', ...more)

const wasStarted = (at: Checkout): boolean => existsSync(join(dirname(at.work), 'agent-was-here'))
const branches = (at: Checkout): string => at.git('branch', '--format=%(refname:short)').trim()
const faultOf = ({ outcome }: Line): { code?: string; message?: string } => outcome?.['fault'] ?? {}

describe('before a worktree is created', () => {
  test.each([
    [
      'an agent that is not installed',
      'prompt: x\nchecks: { it: "true" }\nagent: { command: [no-such-agent] }\n',
      /the program no-such-agent was not found/,
    ],
    [
      'a key that is not set',
      'prompt: x\nchecks: { it: "true" }\nagent: { model: anthropic/claude-sonnet-4-5 }\n',
      /ANTHROPIC_API_KEY/,
    ],
    [
      'a missing tool of a check',
      loopWith('no-such-tool --run'),
      /The check it needs the program no-such-tool/,
    ],
  ])('reports %s', async (_name, loop, reason) => {
    const at = repository(loop)
    const { code, stderr } = await attended(at)
    expect(stderr).toMatch(reason)
    expect(code).toBe(78)
    expect(branches(at)).toBe('main')
  })

  test('reports a lockfile that does not match, with what to do', async () => {
    const manifest = JSON.stringify({
      name: 'a',
      version: '1.0.0',
      dependencies: { ufo: '^1.0.0' },
    })
    const lock = JSON.stringify({ name: 'a', lockfileVersion: 3, packages: { '': { name: 'a' } } })
    const at = repository(loopWith('true'), { 'package.json': manifest, 'package-lock.json': lock })
    const { code, stderr } = await attended(at)
    expect(stderr).toMatch(/Run .*npm install.* and commit package-lock\.json\./)
    expect([code, branches(at)]).toEqual([78, 'main'])
    const { code: tried, stdout } = await ctl(at, 'preflight', at.file, '--attended')
    expect(stdout).toContain('Fix the problems marked ✗ first. Nothing was spent.')
    expect(tried).toBe(78)
  })
})

describe('before the first iteration', () => {
  test('a check that cannot run ends the run, and no agent is started', async () => {
    const at = repository(loopWith('sh -c "mocha --run"'))
    const ended = await attended(at)
    const { code, message } = faultOf(endOf(ended))
    expect([ended.code, code]).toEqual([1, 'cannot-run'])
    expect(message).toMatch(/The check it cannot run: .*mocha.*not found.*Install the dependencies/)
    expect(eventsOf(ended, 'iteration-started')).toEqual([])
    expect(wasStarted(at)).toBe(false)
    // Nothing is left behind.
    expect(branches(at)).toBe('main')
    expect(at.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  test('reports the results of the checks on the base, and reuses them the next time', async () => {
    const at = repository(loopWith('grep b a.txt'))
    // Installed dependencies that git does not ignore are no uncommitted changes.
    mkdirSync(join(at.work, '.venv'))
    writeFileSync(join(at.work, '.venv/pyvenv.cfg'), 'home = /usr/bin\n')
    const first = await ctl(at, '--json', 'preflight', at.file, '--trust', '--attended')
    expect(JSON.parse(first.stdout)).toMatchObject({
      ready: true,
      tried: { checks: [{ check: 'it', answer: 'fails' }] },
    })
    const ended = await attended(at)
    const [found] = eventsOf(ended, 'preflight-ended')
    expect(found).toMatchObject({ checks: [{ check: 'it', answer: 'fails', known: true }] })
    expect(endOf(ended).outcome).toMatchObject({ type: 'completed' })
  })

  test('is skipped with an option', async () => {
    const at = repository(loopWith('sh -c "mocha --run"'))
    const ended = await attended(at, '--skip-preflight')
    expect(eventsOf(ended, 'preflight-ended')).toEqual([{ type: 'preflight-ended', checks: [] }])
    // The first iteration finds out, and no other is paid for.
    expect(faultOf(endOf(ended)).code).toBe('cannot-run')
    expect(eventsOf(ended, 'iteration-started')).toHaveLength(1)
  })

  test('a check that only the work can make run has failed', async () => {
    const at = repository(loopWith('sh ./check.sh', 'rm -f check.sh; echo b > a.txt'), {
      'check.sh': 'grep b a.txt\n',
    })
    const ended = await attended(at, '--iterations', '1')
    expect(faultOf(endOf(ended)).code).toBeUndefined()
    const [evidence] = eventsOf(ended, 'step-finished').flatMap((event) => event['evidence'] ?? [])
    expect(evidence).toMatchObject({ check: 'it', status: 'not-met' })
  })

  test('installed packages are available to the run', async () => {
    const manifest = { name: 'a', version: '1.0.0', dependencies: { inner: 'file:inner' } }
    const lock = {
      name: 'a',
      lockfileVersion: 3,
      packages: {
        '': manifest,
        inner: { version: '1.0.0' },
        'node_modules/inner': { resolved: 'inner', link: true },
      },
    }
    const at = repository(
      loopWith('test -d node_modules/inner && grep b a.txt', 'echo b > a.txt'),
      {
        'package.json': JSON.stringify(manifest),
        'package-lock.json': JSON.stringify(lock),
        '.gitignore': 'node_modules\n',
      },
    )
    mkdirSync(join(at.work, 'inner'))
    const inner = JSON.stringify({ name: 'inner', version: '1.0.0' })
    writeFileSync(join(at.work, 'inner/package.json'), inner)
    at.git('add', '-A')
    at.git('commit', '-q', '-m', 'inner')
    const file = readFileSync(at.file, 'utf8').replace('sandbox: { require: none }\n', '')
    writeFileSync(at.file, file)
    const ended = await attended(at, '--name', 'packages')
    expect(endOf(ended).outcome).toMatchObject({ type: 'completed' })
    expect(existsSync(join(folderOf(at, 'packages'), 'node_modules/inner'))).toBe(true)
    expect(existsSync(join(at.work, 'node_modules'))).toBe(false)
  })
})

describe('a task that was solved before', () => {
  test('is already done, and its branch is named, until that is scrapped', async () => {
    const at = repository(loopWith('grep b a.txt'))
    const outcomeOf = async (...more: string[]) => endOf(await attended(at, ...more)).outcome
    expect(await outcomeOf('--name', 'first')).toMatchObject({ type: 'completed' })
    const again = await attended(at, '--name', 'second')
    expect(again.code).toBe(0)
    expect(endOf(again).outcome).toMatchObject({
      type: 'completed',
      condition: 'already-done',
      earlier: { name: 'first', branch: 'run/first' },
    })
    await ctl(at, 'scrap', 'first', '--yes')
    const anew = await outcomeOf('--name', 'fourth')
    expect(anew).toMatchObject({ type: 'completed' })
    expect(anew?.['earlier']).toBeUndefined()
  })

  test.each(inProof)('is done again in another clone, and once forgotten, %s', async () => {
    const at = repository(loopWith('grep b a.txt'))
    for (const name of ['first', 'fourth']) {
      expect(endOf(await attended(at, '--name', name)).outcome).toMatchObject({ type: 'completed' })
      if (name === 'first') await ctl(at, 'scrap', 'first', '--yes')
    }
    expect(JSON.parse((await ctl(at, '--json', 'forget')).stdout)).toMatchObject({ attempts: 2 })
    const { stdout } = await ctl(at, 'run', at.file, '--attended', '--name', 'third')
    expect(stdout).not.toContain('already done')
    const clone = join(dirname(at.work), 'clone')
    at.git('clone', '-q', at.work, clone)
    const there = await attended(at, '--name', 'there', '--workspace', clone)
    expect(endOf(there).outcome).toMatchObject({ type: 'completed' })
    expect(endOf(there).outcome?.['earlier']).toBeUndefined()
    rmSync(clone, { recursive: true, force: true })
  })

  test('is done again after the machine was set up differently', async () => {
    // The same check fails for want of a program on the PATH, then has it.
    const at = repository(loopWith('sh ./check.sh', 'echo b > a.txt'), {
      'check.sh': 'PATH="$PATH:$PWD/../bin" the-tool a.txt\n',
    })
    const before = await attended(at)
    expect(faultOf(endOf(before)).code).toBe('cannot-run')
    const bin = join(dirname(at.work), 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'the-tool'), '#!/bin/sh\ngrep b "$1"\n', { mode: 0o755 })
    const after = await attended(at)
    expect(endOf(after).outcome?.type === 'stuck').toBe(false)
  })
})

describe('a folder that is in no commit', () => {
  const plain = ['a plain folder', false, /it is not in a git repository/] as const
  const unborn = ['a repository without a commit', true, /has no commit yet/] as const
  test.each(share([plain, unborn], [plain]))(
    'is changed only with --in-place: %s',
    async (_name, isRepository, why) => {
      const at = placeFor(loopWith('grep b a.txt', 'echo b > a.txt'), { 'a.txt': 'a\n' })
      if (isRepository) execFileSync('git', ['init', '-q', at.work])
      const refused = await run(at, '--attended')
      expect(refused.code).toBe(64)
      expect(refused.stderr).toMatch(why)
      expect(refused.stderr).toContain('Pass --in-place')
      expect(readFileSync(join(at.work, 'a.txt'), 'utf8')).toBe('a\n')
      const ended = await run(at, '--attended', '--in-place')
      expect(endOf(ended).outcome).toMatchObject({ type: 'completed' })
      expect(readFileSync(join(at.work, 'a.txt'), 'utf8')).toBe('b\n')
    },
  )
})
