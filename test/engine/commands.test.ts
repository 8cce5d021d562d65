// Commands of a loop: steps that run beside each other and change nothing.

import { expect, test } from 'vitest'
import type { CommandRunner } from '../../src/engine/index.ts'
import type { CommandReport, CommandTask } from '../../src/loop/step/command-task.ts'
import { createWorld, loopOf, moments, stepResults, worldAfter } from './fixture.ts'
import { policyOf } from './policy-fixture.ts'

const report = (stdout: string): CommandReport => ({
  ended: 'exited',
  exitCode: 0,
  stdout,
  stderr: '',
  durationMs: 1,
})

function runnerOf(ran: string[]): CommandRunner {
  return {
    async run({ command }: CommandTask, { step }) {
      ran.push(step)
      return report(command)
    },
  }
}

const cases = ['a', 'b', 'c']

const loop = loopOf<string>(async (_context, it) => {
  const results = await it.parallel(
    Object.fromEntries(
      cases.map((name) => [
        name,
        async (branch: typeof it) => {
          const made = await branch.command('run', { command: `make ${name}` })
          return branch.command('judge', { command: `judge ${made.stdout}` })
        },
      ]),
    ),
  )
  return Object.values(results)
    .map(({ stdout }) => stdout)
    .join()
})

test('E2. A command with a report never runs again: from any prefix of the journal the run ends in the same way', async () => {
  const whole = createWorld({ commands: runnerOf([]) })
  const run = await whole.start(loop)
  await whole.finish(run, loop)
  const events = await whole.events(run)
  const expected = 'judge make a,judge make b,judge make c'
  expect((await whole.state(run)).progress).toBe(expected)
  for (const seq of moments(events)) {
    const ran: string[] = []
    const world = await worldAfter(events, seq, { commands: runnerOf(ran) })
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe(expected)
    const known = stepResults(events.filter((one) => one.seq <= seq))
    expect(ran.filter((step) => known.has(`1 ${step}`))).toEqual([])
  }
})

test('a command that the policy denies is not run, and the loop learns why', async () => {
  const ran: string[] = []
  const world = createWorld({
    commands: runnerOf(ran),
    policy: policyOf(({ tool }) =>
      tool?.name === 'command'
        ? { decision: 'deny', rules: ['none'], reason: 'no commands' }
        : { decision: 'allow', rules: [] },
    ),
  })
  const run = await world.start(loop)
  await world.finish(run, loop)
  expect(ran).toEqual([])
  const ended = (await world.only(run, 'step-finished')).map(({ kind, result }) => [kind, result])
  expect(ended[0]).toEqual([
    'command',
    {
      value: expect.objectContaining({
        ended: 'denied',
        problem: expect.stringContaining('no commands'),
      }),
    },
  ])
})

test('the file that a command wrote is kept with the run', async () => {
  const world = createWorld({
    commands: {
      run: async () => ({ ...report(''), output: await world.blobs.put('content') }),
    },
  })
  const one = loopOf<string>(async (_context, it) => {
    const { output } = await it.command('make', { command: 'make', output: 'a' })
    return output?.blob ?? ''
  })
  const run = await world.start(one)
  await world.finish(run, one)
  const { progress } = await world.state(run)
  expect(typeof progress).toBe('string')
})

test('without what runs commands, the loop is told what is missing', async () => {
  const world = createWorld()
  const run = await world.start(loop)
  await world.finish(run, loop)
  expect(await world.state(run)).toMatchObject({ outcome: { type: 'failed' } })
})
