/** Showing iterations and removing runs, by the built loopctl. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ctl, environment, linesOf, loopctl, type Place, place } from './loop-fixture.ts'

/** So long that it is stored in a separate file. */
const long = `It${' is'.repeat(25_000)} done.`

const counting = `
prompt: "Count, please.\\n{{ progress }}"
checks: { two: 'printf "\\\\033[31mlines: "; wc -l < log.txt; test "$(wc -l < log.txt)" -ge 2' }
agent:
  script:
    - - { call: run, args: { command: echo x >> log.txt } }
      - { call: read, args: { path: nowhere.txt } }
      - { say: "${long}", usage: { tokens: 30 } }
`

const run = async (at: Place, name: string, ...args: string[]): Promise<void> => {
  const ended = await ctl(at, '--json', 'run', at.file, '--trust', '--name', name, ...args)
  expect(ended.stderr).toBe('')
}

describe('loopctl show', () => {
  test('shows an iteration completely, for people, for programs and for pipes', async () => {
    const at = place(counting)
    await run(at, 'story')
    const shown = await ctl(at, 'show', 'story', '1')
    expect({ ...shown, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' })
    const text = shown.stdout.replace(long, '(long)')
    for (const part of [
      'iteration 1 of story (loop loop)\ncontinues\n',
      ' 30 tokens, $0.00\n',
      'nothing cut\n  Count, please.\n',
      /agent maker says done, 3 turns, 30 tokens, .* s\n {2}.*\(long\)\n/,
      'run: 1 call, ',
      'read: 1 call, 1 failed, ',
      /check two: not-met, exit 1, .* s \(also failed before the run\)\n {2}lines: 1\n/,
      'files changed\n  log.txt\n',
    ]) {
      expect(text).toMatch(part)
    }
    expect(text).not.toContain('\u001B')

    // The last one by default; verbatim if a program reads it.
    expect((await ctl(at, 'show', 'story', '--check', 'two')).stdout).toBe('lines: 2\n')
    expect((await ctl(at, 'show', 'story', '1', '--prompt')).stdout).toBe(
      'Count, please.\n## Before the run\nCheck two: failed before the run began',
    )
    const report = await ctl(at, 'show', 'story', '--report')
    expect(report.stdout.endsWith(`${long}\n`)).toBe(true)

    const parsed = JSON.parse((await ctl(at, '--json', 'show', 'story')).stdout)
    expect(parsed).toMatchObject({
      name: 'story',
      iteration: 2,
      ending: { type: 'complete' },
      prompts: [{ text: expect.stringContaining('## Iteration 1') }],
      checks: [{ check: 'two', status: 'met', output: 'lines: 2' }],
      tools: { read: { calls: 1, failed: 1 } },
      filesChanged: ['log.txt'],
    })
  })

  test('lists what exists if something is not found', async () => {
    const at = place(counting)
    await run(at, 'story')
    for (const [args, message] of [
      [['7'], 'no iteration 7'],
      [['--check', 'three'], 'It has: two.'],
    ] as const) {
      const refused = await ctl(at, 'show', 'story', ...args)
      expect(refused).toMatchObject({ code: 66, stdout: '' })
      expect(refused.stderr).toContain(message)
    }
    expect(await ctl(at, 'show', 'story', '--prompt', '--report')).toMatchObject({ code: 64 })
    expect(await ctl(at, 'show', 'story', 'last')).toMatchObject({ code: 64 })
  })
})

describe('loopctl rm', () => {
  test('removes ended runs for good, and says how to get the space back', async () => {
    const at = place(counting)
    for (const name of ['one', 'two', 'three']) await run(at, name)
    const removed = await ctl(at, 'rm', '--yes', 'one', 'two')
    expect(removed).toMatchObject({ code: 0, stderr: '' })
    expect(removed.stdout).toMatch(/^removed one\nremoved two\n.*loopctl gc/)
    expect(linesOf(await ctl(at, '--json', 'list')).map(({ name }) => name)).toEqual(['three'])
    for (const look of ['inspect', 'tail', 'show', 'rm']) {
      expect(await ctl(at, look, 'one')).toMatchObject({ code: 66 })
    }
    await run(at, 'one')
    expect(linesOf(await ctl(at, '--json', 'rm', '--yes', 'one', 'three'))).toMatchObject([
      { name: 'one' },
      { name: 'three' },
    ])
    expect(await ctl(at, 'gc')).toMatchObject({ code: 0 })
    expect(await ctl(at, 'doctor')).toMatchObject({ code: 0 })
    expect(existsSync(join(at.state, 'blobs'))).toBe(true)
  })

  test('does not remove a run that is driven; an interrupted one needs --force, and its followers end', async () => {
    const at = place(`
prompt: Wait.
checks: { never: 'false' }
agent: { script: [[{ call: run, args: { command: echo $$ > begun; exec sleep 60 } }, { say: ok }]] }
`)
    const env = environment(at.state)
    const start = (...args: string[]): ReturnType<typeof spawn> =>
      spawn(process.execPath, [loopctl, ...args], { env, stdio: 'ignore' })
    const driver = start('run', at.file, '--trust', '--name', 'held')
    const begun = (): string => {
      const file = join(at.work, 'begun')
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    }
    while (!begun().endsWith('\n')) await sleep(20)
    for (const force of [[], ['--force']]) {
      expect(await ctl(at, 'rm', '--yes', 'held', ...force)).toMatchObject({ code: 75, stdout: '' })
    }
    const replayed = await ctl(at, 'replay', 'held')
    expect(replayed).toMatchObject({ code: 75, stdout: '' })
    expect(replayed.stderr).toMatch(/still running; .* loopctl watch held.* loopctl pause held/)
    const resumed = await ctl(at, 'resume', 'held', '--trust')
    expect(resumed.code).toBe(75)
    expect(resumed.stderr).toMatch(
      /is running in process \d+\. Wait for it, or end it: loopctl stop/,
    )
    driver.kill('SIGKILL')
    await once(driver, 'exit')
    process.kill(Number(begun()))
    const refused = await ctl(at, 'rm', '--yes', 'held')
    expect(refused.code).toBe(73)
    expect(refused.stderr).toContain('force')

    const follower = spawn(process.execPath, [loopctl, 'tail', '-f', 'held'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(follower, 'exit')
    await once(follower.stdout, 'data')
    expect(await ctl(at, 'rm', '--yes', 'held', '--force')).toMatchObject({ code: 0 })
    follower.stdout.resume()
    expect(await ended).toEqual([66, null])
    expect((await ctl(at, 'list')).stdout).toBe('No runs yet.\n')
  })
})
