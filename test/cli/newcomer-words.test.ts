// Words that made newcomers stumble: what they see is what they may type.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { environment, type Place, place } from '../e2e/loop-fixture.ts'
import { warmLoopctl } from '../warm-loopctl.ts'

let at: Place

beforeAll(() => {
  at = place("prompt: x\nchecks: { ok: 'true' }\nagent: { script: [[{ say: Done. }]] }\n")
})

const ctl = (...args: string[]) => warmLoopctl(args, environment(at.state), at.work)

function write(name: string, keys: string): string {
  const file = join(at.work, '..', name)
  const round =
    'loop: round\nname: x\nintent: Look.\nprompt: Look.\nagents: { maker: repair, checker: repair }\n'
  writeFileSync(file, `${round}${keys}\n`)
  return file
}

test.each([
  ['propose: {}', 'it names no action: write one, such as commit'],
  [
    'propose: { commit: {}, draft: {} }',
    'it names 2 of them (commit, draft), and each action is an entry of its own',
  ],
  ['gather: [{}]', 'it names no source: write one, such as git-log'],
  ['deliver: [{}]', 'it names no receiver: write one, such as stdout'],
])('%s says what is wrong with it', async (keys, message) => {
  const { code, stdout, stderr } = await ctl('validate', write('keys.yaml', keys))
  expect(code).not.toBe(0)
  expect(`${stdout}${stderr}`).toContain(message)
})

test('schedule add finds a loop by its name, as run does', async () => {
  mkdirSync(join(at.work, 'loops'))
  writeFileSync(
    join(at.work, 'loops', 'count.yaml'),
    "prompt: x\nchecks: { ok: 'true' }\nagent: { script: [[{ say: Done. }]] }\n",
  )
  const { code, stderr } = await ctl('schedule', 'add', 'count', 'daily 25:00', '--trust')
  expect(code).not.toBe(0)
  expect(stderr).toContain('"25:00" is not a time: use 00:00 to 23:59')
  expect(stderr).not.toMatch(/bad-time|cannot read|no such file/i)
})
