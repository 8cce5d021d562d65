/** What confused people who used it for the first time, by the built loopctl. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeEntry } from '../../src/cli/display/queue-view.ts'
import { errorLines } from '../../src/cli/main.ts'
import { estimateCost } from '../../src/launch/plan/estimate-cost.ts'
import { ctl, linesOf } from './loop-fixture.ts'
import { folderOf, repository, run } from './worktree-fixture.ts'

/** The agent stores its prompt; the check fails once, in color, with long output. */
const loop = `
prompt: "Mend the sum.\\n{{ progress }}"
checks:
  sum: |
    printf '\\033[31mTAP version 13\\033[0m\\n'
    i=0; while [ $i -lt 400 ]; do echo "ok $i - a test that passed, of which nobody needs to hear"; i=$((i+1)); done
    test -f received-2.txt && exit 0
    printf 'not ok 7 - \\033[1madds\\033[22m\\n  ---\\n  expected: 5\\n  actual: -1\\n  ...\\n'
    i=0; while [ $i -lt 400 ]; do echo "ok $i - one more that passed"; i=$((i+1)); done
    exit 1
agent:
  command: [sh, -c, 'if test -f received-1.txt; then cat > received-2.txt; else cat > received-1.txt; fi; printf "\\033[32mdone\\033[0m"']
`

test('the agent gets plain text with the failure in it, and show --prompt prints exactly that', async () => {
  const at = repository(loop)
  const ended = await run(at, '--name', 'first')
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  for (const escape of ['\\u001b', '\u001B']) expect(ended.stdout).not.toContain(escape)
  const received = (number: number): string =>
    readFileSync(join(folderOf(at, 'first'), `received-${number}.txt`), 'utf8')

  expect(received(2)).not.toMatch(/(?![\n\t])\p{Cc}/u)
  for (const part of ['not ok 7 - adds', 'expected: 5', 'actual: -1', 'lines left out]', 'done']) {
    expect(received(2)).toContain(part)
  }
  // Additions to the prompt of the loop were sent as well.
  expect(received(1)).toMatch(
    /^Mend the sum\.\n## Before the run\nCheck sum: failed[^]*\n\nYou work in a git worktree/,
  )
  for (const number of [1, 2]) {
    const shown = await ctl(at, 'show', 'first', '--prompt', '--iteration', String(number))
    expect(shown).toEqual({ code: 0, stdout: received(number), stderr: '' })
    const all = await ctl(at, 'show', 'first', String(number))
    expect(all.stdout).toContain('You work in a git worktree')
    for (const escape of ['\\x1b', '\u001B']) expect(all.stdout).not.toContain(escape)
  }
  expect((await ctl(at, 'show', 'first', '1', '--iteration', '2')).code).toBe(64)

  // The list shows where each run works.
  const [row] = linesOf(await ctl(at, '--json', 'list'))
  expect(row).toMatchObject({ repository: at.work, branch: 'run/first' })
  const { stdout: listed } = await ctl(at, 'list')
  expect(listed).toMatch(/NAME .* REPOSITORY +BRANCH/)
  expect(listed).toMatch(/first .* work +run\/first/)

  // Irreversible actions are confirmed first.
  for (const args of [
    ['rm', 'first'],
    ['worktrees', 'clean'],
  ]) {
    const refused = await ctl(at, ...args)
    expect(refused).toMatchObject({ code: 64, stdout: '' })
    expect(refused.stderr).toMatch(
      /^loopctl: This would remove .*first.* Pass --yes to confirm\.\n$/,
    )
  }
  expect((await ctl(at, 'inspect', 'first')).code).toBe(0)
  const cleaned = await ctl(at, 'worktrees', 'clean', '--yes')
  expect(cleaned.stdout).toContain('first')
  const removed = await ctl(at, '--state', at.state, 'rm', 'first', '--yes')
  expect(removed).toMatchObject({ code: 0, stderr: '' })
  // Suggested commands can be typed as printed.
  expect(removed.stdout).toContain(`loopctl --state ${at.state} gc`)
  const missing = await ctl(at, '--state', at.state, 'show', 'none')
  expect(missing.stderr).toMatch(/loopctl --state \S+ list/)
  expect((await ctl(at, 'show', 'none')).stderr).not.toContain('--state')
})

test('tool output in a message keeps its lines, and is indented', () => {
  expect(errorLines('workspace-failed', 'npm failed:\nERR! no such version\n  at a')).toEqual([
    'loopctl: npm failed:',
    '  ERR! no such version',
    '  at a',
  ])
})

test('a model with a price is not called free, whatever its base URL', async () => {
  const most = { iterations: 1, tokens: 1000, costMicros: 1_000_000 }
  const asked = async (model: string): Promise<string> => {
    const agent = { type: 'model', model, baseUrl: 'http://127.0.0.1:9', maxOutputTokens: 100 }
    return (await estimateCost({ maker: agent } as never, 'Mend it.', most)).billing
  }
  // The gateway charges the first, and not the second.
  expect(await asked('anthropic/claude-sonnet-4-5')).toBe('tokens')
  expect(await asked('openai-compatible/llama3')).toBe('nothing')
})

test('a run that the daemon drives is called running', () => {
  const entry = { run: 'r', name: 'n', state: 'driven', priority: 0, queuedAtMs: 0 } as never
  expect(describeEntry(entry)).toBe('running')
})
