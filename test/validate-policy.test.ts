import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { validateLoop } from '../src/launch/load-loop.ts'
import { newFolder } from './host-fixture.ts'

test('a loop file is not valid if a policy that it names has a problem', async () => {
  const folder = newFolder()
  const file = join(folder, 'fix.yaml')
  const policy = join(folder, 'policy', 'two.cedar')
  mkdirSync(join(folder, 'policy'))
  writeFileSync(
    file,
    'prompt: x\nagent: { command: ["true"] }\nchecks: { a: test -f a }\npolicy: { enforce: [policy/two.cedar] }\n',
  )
  const write = (name: string): void =>
    writeFileSync(
      policy,
      `forbid (principal, action == Action::"iterate", resource)\nwhen { context.${name} > 2 };\n`,
    )
  write('iterations')
  const bad = await validateLoop(file, folder)
  expect(bad.ok).toBe(false)
  expect(bad.problems).toHaveLength(1)
  expect(bad.problems[0]?.text).toMatch(/two\.cedar:2:8: .*did you mean `iteration`\?/)
  write('iteration')
  expect(await validateLoop(file, folder)).toMatchObject({ ok: true, problems: [] })
})
