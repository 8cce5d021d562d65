// A run that changes a test asks; the question shows the change completely, and only a person who
// has seen it can approve it.

import { expect, test, vi } from 'vitest'
import { commandOutputs } from '../../src/protocol/cli/index.ts'
import { environment } from '../e2e/loop-fixture.ts'
import { repository } from '../e2e/worktree-fixture.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'

const test1 = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from './sum.js'
test('two and three', () => assert.equal(sum(2, 3), 5))
`

/** The agent inverts the expectation and adds 240 KB to the test. */
const loop = `
prompt: Make the test pass.
checks: { test: node --test }
agent:
  script:
    - - call: run
        args:
          command: sed -i 's/5))/-1))/' sum.test.js && yes '// more text in a comment of the test' | head -n 6500 >> sum.test.js
      - { say: Done. }
`

test('a change that is too long for the question is approved with the code of the whole review', async () => {
  const at = repository(loop, {
    'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
    'sum.js': 'export const sum = (a, b) => a - b\n',
    'sum.test.js': test1,
  })
  const say = (...args: readonly string[]): Promise<Ended> =>
    warmLoopctl(['--json', ...args], environment(at.state))
  const running = say('run', at.file, '--trust', '--name', 'cheat', '--iterations', '2')
  const asked = async (): Promise<string> => {
    const { stdout } = await say('inbox')
    expect(stdout).toContain('ask:approve-')
    return stdout
  }
  const line = await vi.waitFor(asked, { timeout: 60_000, interval: 200 })
  const { id, question } = JSON.parse(line)
  expect(question.text).toContain('Changed outside the work (1 file, 0 shown):')
  expect(question.text).toMatch(/Not shown: 1 file, 2\d\d,\d\d\d bytes:\n {2}sum\.test\.js/)

  const { stdout } = await say('diff', '--review')
  const review = JSON.parse(stdout)
  expect(commandOutputs['diff']?.schema.safeParse(review).error).toBeUndefined()
  expect(review).toMatchObject({ run: { name: 'cheat' }, question: id })
  expect(review.files).toMatchObject([{ path: 'sum.test.js', needsApproval: true }])
  expect(review.files[0].patch).toContain(
    "+test('two and three', () => assert.equal(sum(2, 3), -1))",
  )
  const shown = await warmLoopctl(['diff', '--review', 'cheat'], environment(at.state))
  expect(shown.stdout).toContain(`Its code: ${review.code}`)

  const refused = await say('answer', 'cheat', id, 'approve')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('loopctl diff --review')
  expect((await say('answer', 'cheat', id, `approve ${review.code}`)).code).toBe(0)
  expect((await running).stdout).toContain('"outcome":{"type":"completed"')
}, 120_000)
