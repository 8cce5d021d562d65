// loopctl run <spec>: which loop it uses, and what is wrong with a spec. Only the agent is scripted.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { onlyAgent } from '../../src/cli/inline-loop.ts'
import { newRepository } from '../worktree-fixture.ts'
import { ctl, type Place, place } from './loop-fixture.ts'

const files = {
  'package.json': '{ "name": "shop", "type": "module" }\n',
  'specs/shop.md': '# Shop\n\n- [ ] Write part one\n',
  'specs/empty.md': ' \n',
  'specs/no-tasks.md': '# No tasks\n',
  'agent.mjs': '',
}
const parts = ['--agent', 'node agent.mjs', '--check', 'test=true']
let checkout: string
let at: Place
beforeEach(() => {
  checkout = newRepository(files).checkout
  at = place('')
})
const spec = (name: string): string => join(checkout, 'specs', `${name}.md`)
const run = (...args: string[]) => ctl(at, 'run', ...args)

test('a spec without a loop file uses the built-in loop, and a dry run says why', async () => {
  const { stdout, stderr, code } = await run(spec('shop'), '--dry-run', ...parts)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^loop {7}shop \(the built-in build loop, because no loop file/)
  expect(stdout).toContain('## Your task (1 of 1, 0 done)\n\nWrite part one')
  expect(stderr).toContain(`so the run works in ${checkout}. To build it in another folder`)
  const named = await ctl(at, '--json', 'run', spec('shop'), '--dry-run', ...parts)
  expect(JSON.parse(named.stdout)).toMatchObject({
    loop: 'shop',
    rule: expect.stringMatching(/^the built-in build loop/),
    workspace: checkout,
  })
})

test('a prompt can be looked at', async () => {
  const { stdout, code } = await ctl(at, 'prompt', spec('shop'), ...parts)
  expect(code).toBe(0)
  expect(stdout).toContain('## Specification (specs/shop.md)')
})

test.each([
  [['specs/shp.md'], /does not exist\. Did you mean shop\.md\?/],
  [['specs/empty.md'], /is empty\. Write what is to be built/],
  [['specs/binary.md'], /is not text in UTF-8/],
  [['specs/shop.md', 'specs/no-tasks.md', '--dry-run'], /has no task\. Write tasks as/],
  [['specs/shop.md', 'specs/none.md'], /The plan .*none\.md does not exist/],
  [['package.json', 'specs/shop.md'], /package\.json is not a spec/],
])('%j is refused with what to do', async (args, message) => {
  writeFileSync(spec('binary'), Buffer.from([0, 255, 1]))
  const given = args.map((arg) => (arg.startsWith('--') ? arg : join(checkout, arg)))
  const { stderr, code } = await run(...given, ...(args[0] === 'package.json' ? [] : parts))
  expect(code).not.toBe(0)
  expect(stderr).toMatch(message)
})

test('repair is refused for a spec, and not proposed for one', async () => {
  const { stderr, code } = await run(spec('shop'), '--dry-run', '--agent', 'repair')
  expect(code).toBe(64)
  expect(stderr).toMatch(/repair cannot build a spec\. Choose another.*--agent 'node agent\.mjs'/)
  expect(() => onlyAgent([], true)).toThrow(/is set\. See: loopctl agents\. A command can be/)
})

test('of several build loops the user chooses', async () => {
  mkdirSync(join(checkout, 'loops'), { recursive: true })
  for (const name of ['one', 'two']) {
    writeFileSync(join(checkout, `loops/${name}.yaml`), 'loop: build\n')
  }
  const { stderr, code } = await run(spec('shop'), '--dry-run')
  expect(code).not.toBe(0)
  expect(stderr).toContain('Choose one: loopctl run loops/one.yaml --input spec=specs/shop.md')
})
