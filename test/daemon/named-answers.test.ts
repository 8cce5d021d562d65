// People with tokens of their own answer a question of a run: loopctl, the daemon and the journal together.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'
import { startDaemon } from './start-daemon.ts'

test('a read-only token cannot answer; a named token answers under its name', async () => {
  const daemon = await startDaemon()
  const folder = join(dirname(daemon.state), 'project')
  mkdirSync(join(folder, 'work'), { recursive: true })
  writeFileSync(join(folder, 'work', 'spec.txt'), 'a line')
  writeFileSync(
    join(folder, 'curious.yaml'),
    `workspace: work
prompt: Change it.
agent: { script: [[{ call: run, args: { command: "echo more >> spec.txt" } }, { say: Done. }]] }
checks: { there: test -s spec.txt }
seals: { paths: [spec.txt], changes: ask }
certify: { teeth: false }
worktree: false
`,
  )
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    LOOPWRIGHT_STATE: daemon.state,
    USER: 'mallory',
  }
  const ctl = (token: string | undefined, ...args: string[]): Promise<Ended> =>
    warmLoopctl(
      args,
      token === undefined ? environment : { ...environment, LOOPD_TOKEN: token },
      folder,
    )
  const added = async (...args: string[]): Promise<string> => {
    const { stdout } = await ctl(undefined, '--json', 'daemon', 'token', 'add', ...args)
    return (JSON.parse(stdout) as { token: string }).token
  }
  const kim = await added('kim', '--read-only')
  const anna = await added('anna')

  const asked = await ctl(
    undefined,
    'run',
    'curious.yaml',
    '--trust',
    '--no-input',
    '--name',
    'curious-a',
  )
  expect(asked).toMatchObject({ code: 7 })
  expect((await ctl(kim, 'inbox')).stdout).toContain('loopctl answer curious-a')
  const refused = await ctl(kim, '--json', 'answer', 'curious-a', 'approve')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('read-only')
  // A single word is the answer to the only question.
  expect(await ctl(anna, 'answer', 'curious-a', 'approve')).toMatchObject({ code: 0 })
  // Until the run has ended; 73: it had ended before.
  expect([0, 73]).toContain((await ctl(kim, 'watch', 'curious-a')).code)
  const { stdout } = await ctl(kim, '--json', 'tail', 'curious-a')
  const events = stdout.split('\n').filter((line) => line !== '')
  const decided = events
    .map((line) => JSON.parse(line) as { event: Record<string, unknown> })
    .filter(({ event }) => event['type'] === 'decision-applied')
  expect(decided.map(({ event }) => [event['by'], event['claimedBy']])).toEqual([
    ['anna', 'mallory'],
  ])
  const { stdout: shown } = await ctl(kim, '--json', 'show', 'curious-a')
  expect(JSON.parse(shown)).toMatchObject({ attention: { questions: 1 } })
})
