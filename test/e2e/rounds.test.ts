// Rounds with real programs as agents, in real worktrees and the real sandbox.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RoundReport } from '../../src/protocol/round/round-report.ts'
import { afterStory } from '../after.ts'
import { ctl, endOf, leftAt } from './loop-fixture.ts'
import { type Checkout, folderOf, repository, run } from './worktree-fixture.ts'

/** Passes everything, with the token of its prompt. */
const checker =
  '["sh", "-c", "printf \'{\\"token\\": \\"%s\\", \\"verdict\\": \\"pass\\", \\"reasons\\": []}\' $(sed -n \'s/.*\\"token\\": \\"\\\\([0-9a-f]*\\\\)\\".*/\\\\1/p\' | tail -1)"]'

const round = (maker: string, keys: string): string => `
loop: round
name: polite
intent: Keep the greeting polite.
agents:
  maker: { command: [sh, -c, ${JSON.stringify(`cat >/dev/null; ${maker}`)}] }
  checker: { command: ${checker} }
${keys}`

const assisted = `
level: 2
propose: commit
scope: [a.txt]
checks: { polite: grep -q hello a.txt }
certify: quick
`

const reportOf = (ended: Awaited<ReturnType<typeof ctl>>): RoundReport =>
  (endOf(ended) as { readonly round: RoundReport }).round

const proposed = (at: Checkout, name: string) => run(at, '--no-input', '--name', name)

/** Answers every caller. */
async function openServer(): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterStory(() => void server.close())
  return { port: (server.address() as AddressInfo).port, asked }
}

test('at level 1 an agent program can neither write nor reach anything, whatever it tries', async () => {
  const { port, asked } = await openServer()
  const tries = [
    'echo bad > a.txt',
    'echo bad > new.txt',
    'echo bad > .git',
    'rm a.txt',
    'mkdir d',
    'git commit --allow-empty -m bad',
    'test -n "$HTTPS_PROXY$https_proxy"',
    `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET /bad HTTP/1.0\\r\\n\\r\\n' >&3`,
    `node -e "fetch('http://127.0.0.1:${port}/bad')"`,
  ].map(
    (one) =>
      `(${one}) 2>/dev/null && echo "succeeded: ${one.slice(0, 20).replaceAll(/["'$]/g, '')}"`,
  )
  const at = repository(
    round(
      `${tries.join('; ')}; echo looked`,
      'level: 1\nsandbox: { network: [registry.npmjs.org] }',
    ),
  )
  const before = at.seen()
  const ended = await run(at, '--name', 'r1')
  expect([ended.code, reportOf(ended).outcome]).toEqual([0, { type: 'reported' }])
  expect(reportOf(ended).maker?.text).toBe('looked')
  expect(asked).toEqual([])
  expect(at.seen()).toBe(before)
  // Nothing was written in its worktree, which would have been kept otherwise.
  expect(existsSync(folderOf(at, 'r1'))).toBe(false)
  expect(at.git('branch', '--list', 'run/*')).toBe('')
  const shown = await ctl(at, 'inspect', 'r1')
  expect(shown.stdout).toContain('[L1-report] loop `polite` (reported)')
})

test('a round that changes no file leaves no worktree, and one that does keeps it', async () => {
  const idle = repository(round('echo nothing to do', assisted))
  expect((await run(idle, '--name', 'idle')).code).toBe(0)
  expect(existsSync(folderOf(idle, 'idle'))).toBe(false)
  expect(idle.git('branch', '--list', 'run/*')).toBe('')
  expect((await ctl(idle, 'inspect', 'idle')).stdout).toContain('(proceeded)')

  const worked = repository(round('echo hello > a.txt; echo polite now', 'level: 2\n'))
  await proposed(worked, 'worked')
  expect(readFileSync(join(folderOf(worked, 'worked'), 'a.txt'), 'utf8')).toBe('hello\n')
  expect(worked.git('show', 'run/worked:a.txt')).toBe('hello\n')
})

test('a proposal waits on its branch, a newer one replaces it, and acting certifies it with its target', async () => {
  const at = repository(round('echo hello > a.txt; echo polite now', assisted))
  const first = await proposed(at, 'r1')
  expect([first.code, reportOf(first).outcome.type]).toEqual([7, 'escalated'])
  expect(reportOf(first)).toMatchObject({ branch: 'run/r1', verified: { type: 'certified' } })
  expect(at.git('show', 'run/r1:a.txt')).toBe('hello\n')

  writeFileSync(join(at.work, 'b.txt'), 'b\n')
  at.git('add', 'b.txt')
  at.git('commit', '-qm', 'second')
  expect((await proposed(at, 'r2')).code).toBe(7)
  const inbox = await ctl(at, '--json', 'inbox')
  expect(
    inbox.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { run: { name: string } }).run.name),
  ).toEqual(['r2'])
  const replaced = reportOf(await ctl(at, '--json', 'resume', 'r1'))
  expect(replaced.outcome).toEqual({ type: 'escalated', reason: 'superseded by r2' })
  expect(at.git('show', 'run/r1:a.txt')).toBe('hello\n')

  // Its target moves on before a person allows it; both together are still certified.
  writeFileSync(join(at.work, 'c.txt'), 'c\n')
  at.git('add', 'c.txt')
  at.git('commit', '-qm', 'third')
  expect((await ctl(at, 'answer', 'r2', '--accept')).code).toBe(0)
  const accepted = await ctl(at, '--json', '--no-input', 'resume', 'r2')
  expect([accepted.code, reportOf(accepted).outcome]).toEqual([0, { type: 'proceeded' }])
  expect(at.git('show', 'agent/r2:a.txt')).toBe('hello\n')

  // The same proposal conflicts with what its target has become.
  expect((await proposed(at, 'r3')).code).toBe(7)
  writeFileSync(join(at.work, 'a.txt'), 'good morning\n')
  at.git('commit', '-qam', 'fourth')
  await ctl(at, 'answer', 'r3', '--accept')
  const outdated = await ctl(at, '--json', '--no-input', 'resume', 'r3')
  expect(reportOf(outdated).outcome).toMatchObject({
    type: 'failed',
    error: expect.stringMatching(
      /^action executor failed: main has changed, and conflicts with it in a.txt/,
    ),
  })
  expect(at.git('branch', '--list', 'agent/r3')).toBe('')
}, 120_000)

test('a round that is killed while it waits asks once, and acts once', async () => {
  const at = repository(round('echo hello > a.txt; echo polite now', assisted))
  const args = ['--json', 'run', at.file, '--trust', '--attended', '--name', 'r1']
  await leftAt(at, {}, args, '"question"', 'SIGKILL')
  expect((await ctl(at, 'answer', 'r1', '--accept')).code).toBe(0)
  const resumed = await ctl(at, '--json', '--no-input', 'resume', 'r1')
  expect([resumed.code, reportOf(resumed).outcome]).toEqual([0, { type: 'proceeded' }])
  expect(at.git('rev-list', '--count', 'main..agent/r1').trim()).toBe('1')
  expect((await ctl(at, 'resume', 'r1')).code).not.toBe(0)
}, 60_000)
