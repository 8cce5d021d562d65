import { expect, test } from 'vitest'
import type { Commands } from '../engine/index.ts'
import { createAgentContext, createManualClock } from '../testing/index.ts'
import { commandAgent } from './command-agent.ts'
import { watchForEnd } from './end-watch.ts'

const never = new AbortController().signal

test('a program that has its result and is silent is ended', async () => {
  const clock = createManualClock()
  const watch = watchForEnd({ hasResult: () => true, clock }, never)
  await clock.advance(4000)
  expect(watch.signal.aborted).toBe(false)
  await clock.advance(1000)
  expect([watch.signal.aborted, watch.lingered()]).toEqual([true, true])
  expect(clock.alarms).toEqual([])
})

test('it is working as long as it prints', async () => {
  const clock = createManualClock()
  const watch = watchForEnd({ hasResult: () => true, clock }, never)
  for (let look = 0; look < 10; look++) {
    watch.noteOutput()
    await clock.advance(5000)
  }
  expect(watch.lingered()).toBe(false)
  await clock.advance(10_000)
  expect(watch.lingered()).toBe(true)
})

test('it is working as long as its model is, however silent it is', async () => {
  const clock = createManualClock()
  let hasResult = false
  const watch = watchForEnd({ hasResult: () => hasResult, clock }, never)
  await clock.advance(3_600_000)
  expect(watch.lingered()).toBe(false)
  hasResult = true
  await clock.advance(5000)
  expect(watch.lingered()).toBe(true)
})

test('a program that exits by itself, or whose models are not observed, is no longer watched', async () => {
  const clock = createManualClock()
  const ended = watchForEnd({ hasResult: () => true, clock }, never)
  ended.stop()
  const unseen = watchForEnd({ clock }, never)
  await clock.advance(60_000)
  expect([ended, unseen].map(({ signal }) => signal.aborted)).toEqual([false, false])
  expect(clock.alarms).toEqual([])
})

test('a stop of the run is passed on, and is not lingering', async () => {
  const clock = createManualClock()
  const stop = new AbortController()
  const watch = watchForEnd({ hasResult: () => true, clock }, stop.signal)
  stop.abort(new Error('stopped'))
  expect(watch.signal.reason).toEqual(new Error('stopped'))
  await clock.advance(60_000)
  expect(watch.lingered()).toBe(false)
  expect(watchForEnd({ clock }, stop.signal).signal.aborted).toBe(true)
})

test('a lingering agent is done with what it printed, and a note says that it was ended', async () => {
  const clock = createManualClock()
  const commands: Commands = { run: untilStopped('All tests pass.\n') }
  const agent = commandAgent({
    command: ['agent'],
    commands,
    spending: 'gateway',
    hasResult: () => true,
    clock,
  })
  const context = createAgentContext()
  const report = await clock.pass(agent.work({ prompt: 'go' }, context))
  expect(report).toMatchObject({ status: 'done', text: 'All tests pass.' })
  expect(context.notes).toContainEqual({
    type: 'said',
    text: 'agent reported its result but did not exit; stopped it.',
  })
})

/** Prints, and then runs until it is stopped. */
const untilStopped =
  (stdout: string): Commands['run'] =>
  (command, signal) =>
    new Promise((resolve) => {
      command.onOutput?.(Buffer.from(stdout), 'stdout')
      const result = { stdout, stderr: '', durationMs: 0, outputBytes: stdout.length }
      signal.addEventListener('abort', () => resolve({ ...result, ended: 'aborted' }))
    })
