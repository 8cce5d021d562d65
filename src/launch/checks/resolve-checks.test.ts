import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CheckContext, Command, CommandResult } from '../../engine/index.ts'
import type { StandardCondition } from '../../loop/index.ts'
import type { ConditionCheckSettings, LoopFile } from '../../protocol/index.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { folderFiles } from './folder-reader.ts'
import { openChecks } from './open-checks.ts'
import { planChecks } from './plan-checks.ts'
import { resolveChecks } from './resolve-checks.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-conditions-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const standard = (condition: StandardCondition): ConditionCheckSettings => ({
  type: 'condition',
  condition,
  env: {},
  timeoutMs: 30_000,
  existing: 'fix',
  outputs: [],
})

const resolveIn = (condition: StandardCondition, problems: string[] = []) =>
  resolveChecks(
    { it: standard(condition) },
    { baseFiles: () => folderFiles(folder), isOffline: true, problems },
  )

/** Commands that exit as configured, and are recorded. */
function openWith(checks: Awaited<ReturnType<typeof resolveIn>>, exits: readonly number[]) {
  const ran: Command[] = []
  const run = async (command: Command): Promise<CommandResult> => {
    ran.push(command)
    const exitCode = exits[ran.length - 1] ?? 0
    return { exitCode, stdout: '', stderr: '', ended: 'exited', durationMs: 1, outputBytes: 0 }
  }
  return {
    ran,
    opened: openChecks(checks, {
      sandbox: { commandsFor: () => ({ run }) },
      surroundings: () => '',
    }),
  }
}

const context = (): CheckContext => ({
  workspace: folder,
  iteration: 1,
  signal: new AbortController().signal,
  attempt: 1,
  spend: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  work: () => Promise.reject(new Error('nobody works')),
  callTool: () => Promise.reject(new Error('no tools')),
})

const manifest = (line: string): string => JSON.stringify({ name: 'a', scripts: { test: line } })

describe('a standard condition', () => {
  test('is the usual command of the project, according to its base files', async () => {
    await writeFile(join(folder, 'package.json'), manifest('node --test'))
    const { it } = await resolveIn('all_tests_pass')
    expect(it).toMatchObject({ type: 'standard', timeoutMs: 30_000 })
    const { ran, opened } = openWith({ ...(await resolveIn('all_tests_pass')) }, [0])
    // What the agent changes in the project afterwards has no effect.
    await rm(join(folder, 'package.json'))
    expect(await opened['it']?.(context())).toMatchObject({ kind: 'command', status: 'met' })
    expect(ran.map(({ program }) => program)).toEqual(['npm'])
    expect({ ...opened['it'] }).toMatchObject({ kind: 'command', condition: 'all_tests_pass' })
  })

  test('of several projects is met if all of their commands pass', async () => {
    for (const name of ['a', 'b']) {
      await mkdir(join(folder, name))
      await writeFile(join(folder, name, 'package.json'), manifest('node --test'))
    }
    const checks = await resolveIn('all_tests_pass')
    const good = openWith(checks, [0, 0])
    expect(await good.opened['it']?.(context())).toMatchObject({ status: 'met' })
    expect(good.ran.map(({ cwd }) => cwd)).toEqual([join(folder, 'a/'), join(folder, 'b/')])
    const bad = openWith(checks, [0, 3])
    expect(await bad.opened['it']?.(context())).toMatchObject({ status: 'not-met', exitCode: 3 })
    const first = openWith(checks, [1, 0])
    expect(await first.opened['it']?.(context())).toMatchObject({ status: 'not-met' })
    expect(first.ran).toHaveLength(1)
  })

  test('without a runnable command is refused with advice, and never met', async () => {
    await expect(resolveIn('build_succeeds')).rejects.toMatchObject({
      code: 'not-configured',
      message: expect.stringContaining('checks.it: build_succeeds has nothing to run here'),
    })
  })

  test('without a runnable command is reported with all others, before a run and by it', async () => {
    await writeFile(join(folder, 'package.json'), '{}')
    const checks = { build: standard('build_succeeds'), lint: standard('linting_clean') }
    const options = { baseFiles: () => folderFiles(folder), isOffline: true, problems: [] }
    await expect(resolveChecks(checks, options)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^checks\.build: .*; checks\.lint: .* here\. package\.json has no/,
      ),
    })
    const file = { checks, scope: [], seals: {}, certify: { consult: [] } } as unknown as LoopFile
    const definition = { type: 'file', file } as LoadedLoop['definition']
    const planned = await planChecks({ definition }, folder)
    expect(planned.checks.map(({ problem }) => problem?.split(' ', 2))).toEqual([
      ['checks.build:', 'build_succeeds'],
      ['checks.lint:', 'linting_clean'],
    ])
  })

  test('reads no files through symlinks', async () => {
    await writeFile(join(folder, 'elsewhere.json'), manifest('true'))
    await symlink('elsewhere.json', join(folder, 'package.json'))
    await expect(resolveIn('all_tests_pass')).rejects.toMatchObject({ code: 'not-configured' })
  })
})

test('a check that may have failed before is allowed to fail during iterations, and keeps its identity', async () => {
  const settings = { command: ['a'], env: {}, timeoutMs: 1, outputs: [] } as const
  const checks = {
    lint: { type: 'command', existing: 'allow', ...settings },
    tests: { type: 'command', existing: 'fix', ...settings },
  } as const
  const { opened } = openWith(checks, [1, 1, 0])
  expect(await opened['lint']?.(context())).toMatchObject({ status: 'not-met', allowed: true })
  expect(await opened['tests']?.(context())).not.toHaveProperty('allowed')
  expect(await opened['lint']?.(context())).not.toHaveProperty('allowed')
  expect(opened['lint']?.fingerprint).toBe(opened['tests']?.fingerprint)
})
