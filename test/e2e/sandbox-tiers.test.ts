/**
 * Which runs may do without a sandbox: loopctl on a machine that has none, and on this one. For the
 * former it is started in bubblewrap, with nothing in the place of bubblewrap.
 */

import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  ctl,
  ctlWith,
  type Ended,
  environment,
  eventsOf,
  loopctl,
  type Place,
  place,
} from './loop-fixture.ts'

const plain = `
prompt: Go.
checks: { done: test -e done.txt }
agent: { command: [touch, done.txt] }
limits: { iterations: 1 }
`

/** As on a machine without bubblewrap. */
function ctlBare({ state }: Place, ...args: string[]): Promise<Ended> {
  const without = ['--dev-bind', '/', '/', '--bind', '/dev/null', '/usr/bin/bwrap']
  const command = [...without, process.execPath, loopctl, ...args]
  return new Promise((resolve) => {
    execFile('/usr/bin/bwrap', command, { env: environment(state) }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

const noRuns = async (at: Place): Promise<void> => {
  expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
}

const sandboxOf = (ended: Ended): unknown => eventsOf(ended, 'run-started')[0]?.['sandbox']

describe('on a machine without a sandbox', () => {
  test('an unattended run is refused before it exists, with the reason and the fix', async () => {
    const at = place(plain)
    const refused = await ctlBare(at, 'run', at.file, '--trust')
    expect(refused).toMatchObject({ code: 69, stdout: '' })
    for (const part of [
      'This run is unattended',
      'bubblewrap is not installed',
      'apt-get install bubblewrap',
      '--attended',
    ]) {
      expect(refused.stderr).toContain(part)
    }
    const inJson = await ctlBare(at, '--json', 'run', at.file)
    expect(inJson).toMatchObject({ code: 69, stdout: '' })
    expect(JSON.parse(inJson.stderr)).toMatchObject({
      error: { code: 'not-available', message: expect.stringContaining('apt-get install') },
    })
    await noRuns(at)
  })

  test('an attended run gets a warning, and the journal records it', async () => {
    const at = place(plain)
    const ended = await ctlBare(at, '--json', 'run', at.file, '--trust', '--attended')
    expect(ended.code).toBe(0)
    expect(ended.stderr).toMatch(/^warning: no sandbox: .*bubblewrap is not installed.*\n$/)
    expect(sandboxOf(ended)).toEqual({ tier: 'none', limits: 'none', attended: true })
  })

  test('an attended run is not resumed unattended', async () => {
    const at = place(plain.replace('test -e done.txt', "'false'"))
    const args = ['run', at.file, '--trust', '--attended', '--name', 'story']
    expect((await ctlBare(at, ...args)).code).not.toBe(0)
    const forked = await ctlBare(at, 'fork', 'story', '--name', 'again')
    expect(forked).toMatchObject({ code: 69 })
    const attended = await ctlBare(at, '--json', 'fork', 'story', '--attended')
    expect(sandboxOf(attended)).toEqual({ tier: 'none', limits: 'none', attended: true })
  })

  test('a loop that requires the strong sandbox is refused, attended or not', async () => {
    const at = place(`${plain}sandbox: { require: strong }\n`)
    const refused = await ctlBare(at, 'run', at.file, '--trust', '--attended')
    expect(refused.code).toBe(69)
    expect(refused.stderr).toContain(
      'According to the loop file it needs a sandbox of tier "strong"',
    )
    await noRuns(at)
  })
})

describe('on a machine with a sandbox', () => {
  test('it is used whether the run is attended or not', async () => {
    for (const [more, attended] of [
      [[], false],
      [['--attended'], true],
    ] as const) {
      const at = place(plain)
      const ended = await ctl(at, '--json', 'run', at.file, '--trust', ...more)
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(sandboxOf(ended)).toMatchObject({ tier: 'strong', attended })
    }
  })

  test('a loop that disables it has none, and only if attended', async () => {
    const at = place(`${plain}sandbox: { require: none }\n`)
    const refused = await ctl(at, 'run', at.file, '--trust')
    expect(refused.code).toBe(69)
    expect(refused.stderr).toContain('sandbox.require: none')
    await noRuns(at)
    const ended = await ctl(at, '--json', 'run', at.file, '--attended')
    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain('no sandbox, as set in the loop file')
    expect(sandboxOf(ended)).toEqual({ tier: 'none', limits: 'none', attended: true })
  })
})

describe('an agent with its own login', () => {
  const loop = (check: string): string => `
prompt: Go.
checks: { own: '${check}' }
agent:
  command: [sh, -c, 'env > ../seen.txt; echo $MY_LOGIN > login.txt; cat ../beside.txt > beside.txt']
  subscription: true
  env: [MY_LOGIN]
limits: { iterations: 1 }
`

  test('is refused if the run is unattended', async () => {
    const at = place(loop('true'))
    const refused = await ctl(at, 'run', at.file, '--trust')
    expect(refused.code).toBe(69)
    expect(refused.stderr).toContain('agent.subscription')
    await noRuns(at)
  })

  test('is refused in a loop that requires a sandbox', async () => {
    const at = place(`${loop('true')}sandbox: { require: strong }\n`)
    const refused = await ctl(at, 'run', at.file, '--trust', '--attended')
    expect(refused.code).toBe(65)
    expect(refused.stderr).toContain('sandbox.require')
    await noRuns(at)
  })

  test('works outside the sandbox, with its own home, and its cost is reported as not counted', async () => {
    const at = place(loop('grep -qx me login.txt && grep -qx outside beside.txt'))
    writeFileSync(join(at.work, '../beside.txt'), 'outside\n')
    const env = { MY_LOGIN: 'me', OTHER: 'hidden' }
    const ended = await ctlWith(at, env, '--json', 'run', at.file, '--trust', '--attended')
    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain('the agent works outside the sandbox')
    expect(ended.stdout).toContain('uses its own subscription')
    const seen = readFileSync(join(at.work, '../seen.txt'), 'utf8')
    expect(seen).toContain(`HOME=${at.state}\n`)
    expect(seen).not.toMatch(/hidden|_BASE_URL/)
    // Everything else that the run starts is in the sandbox.
    expect(sandboxOf(ended)).toMatchObject({ tier: 'strong', attended: true })
  })
})

test('a loop without a sandbox is opened only in attended mode, even to list its tools', async () => {
  const at = place(`${plain}sandbox: { require: none }\n`)
  expect((await ctl(at, 'tools', '--loop', at.file, '--trust')).code).toBe(69)
  expect((await ctl(at, 'tools', '--loop', at.file, '--attended')).code).toBe(0)
})

test('the program of a check that is a list is visible inside, wherever it is', async () => {
  const at = place(plain)
  const tool = join(at.work, '../my-tool')
  writeFileSync(tool, '#!/bin/sh\ntest -e done.txt\n', { mode: 0o755 })
  const written = readFileSync(at.file, 'utf8')
  writeFileSync(at.file, written.replace('test -e done.txt', `[${tool}]`))
  expect((await ctl(at, 'run', at.file, '--trust')).code).toBe(0)
})
