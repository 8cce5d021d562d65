// The level of a run is what its loop file allows and what its loop was left with: over loopctl, the journal and the gate.

import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type NewLevelChange, recordIdle, systemClock } from '../src/engine/index.ts'
import { viewActions } from '../src/history/views/view-actions.ts'
import { openHost } from '../src/host/index.ts'
import { updateLevels } from '../src/launch/levels/update-levels.ts'
import { createOwnerId } from '../src/system/index.ts'
import { ctl, type Place, place } from './e2e/loop-fixture.ts'
import { repository } from './e2e/worktree-fixture.ts'
import { inProof } from './share.ts'

const loop = (level: string): string => `
name: drafter
level: ${level}
gate: { allow: [draft] }
prompt: Write a.
checks: { there: test -s a.txt }
agent: { script: [[{ call: write, args: { path: a.txt, content: a } }, { say: Done. }]] }
then: [draft]
`

async function withLevel(at: Place, change: Partial<NewLevelChange>): Promise<void> {
  const host = await openHost({ folder: at.state })
  const scope = { loop: 'drafter', repository: realpathSync(at.work), kind: 'draft' }
  const by = { by: 'ada', reason: 'why', atMs: Date.now() }
  await host.journal.trust.record({ ...scope, ...by, cause: 'granted', key: 'k', ...change })
  await host.close()
}

async function run(at: Place) {
  const { code } = await ctl(at, 'run', at.file, '--trust', '--no-input', '--name', 'one')
  const { stdout } = await ctl(at, '--json', 'tail', 'one')
  const started = stdout
    .split('\n')
    .filter((line) => line.includes('"run-started"'))
    .map((line) => JSON.parse(line) as { readonly event: { readonly level?: number } })
  const actions = (await ctl(at, '--json', 'actions', 'one')).stdout.trimEnd()
  const [action] = actions === '' ? [] : [JSON.parse(actions) as { readonly status: string }]
  return { code, level: started.at(-1)?.event.level ?? 2, action: action?.status }
}

test('at level 3 the gate allows the action; a stored level below it asks a person', async () => {
  expect(await run(place(loop('3')))).toEqual({ code: 0, level: 3, action: 'done' })
  const lowered = place(loop('3'))
  await withLevel(lowered, { cause: 'escape', level: 2, starting: 3 })
  expect(await run(lowered)).toEqual({ code: 7, level: 2, action: 'proposed' })
})

test.each(inProof)(
  'earned begins at level 1 and performs nothing; a person can give it level 3',
  async () => {
    expect(await run(place(loop('earned')))).toEqual({ code: 0, level: 1, action: 'refused' })
    const given = place(loop('earned'))
    await withLevel(given, { level: 3 })
    expect(await run(given)).toEqual({ code: 0, level: 3, action: 'done' })
  },
)

const merging = `
name: merger
level: 3
gate: { allow: [merge] }
scope: ['**']
prompt: Write a.
checks: { there: test -s b.txt }
agent: { script: [[{ call: write, args: { path: b.txt, content: "b {{ run.name }}" } }, { say: Done. }]] }
then: [merge]
`

interface Standing {
  readonly level: number
  readonly evidence: { readonly trials: number; readonly successes: number }
  readonly missing: readonly string[]
  readonly history: readonly { readonly cause: string; readonly reason: string }[]
}

async function levelsOf(at: Place): Promise<Standing> {
  const { stdout, stderr } = await ctl(at, '--json', 'levels')
  expect(stderr).toBe('')
  return JSON.parse(stdout.trimEnd()) as Standing
}

test('work that was merged and is reverted lowers the level once; a person gives it back', async () => {
  const at = repository(merging)
  expect(await ctl(at, 'run', at.file, '--trust', '--no-input', '--name', 'one')).toMatchObject({
    code: 0,
  })
  expect(await levelsOf(at)).toMatchObject({ level: 3, evidence: { trials: 1, successes: 1 } })
  at.git('checkout', '-q', 'agent/merger')
  at.git('revert', '--no-edit', 'HEAD')
  at.git('checkout', '-q', 'main')
  const text = (await ctl(at, 'levels')).stdout
  expect(text).toContain('Found now: merge of one turned out to be wrong: it was reverted')
  expect(text).toContain('L2-assisted, at most L3-unattended')
  const fallen = await levelsOf(at)
  expect(fallen.level).toBe(2)
  expect(fallen.history.map(({ cause }) => cause)).toEqual(['escape'])
  // The next run asks a person, who finds out why in the history. Its base is another one.
  writeFileSync(join(at.work, 'a.txt'), 'more\n')
  at.git('commit', '-qam', 'even more')
  const next = await ctl(at, 'run', at.file, '--no-input', '--name', 'two')
  expect(next.code).toBe(7)
  const shown = (await ctl(at, 'levels', 'merger')).stdout
  expect(shown).toContain('L3-unattended became L2-assisted (escape) by evidence: merge of one')
  const refused = await ctl(at, 'levels', 'set', 'merger', '3')
  expect(refused.stderr).toContain('--reason')
  const accepted = await ctl(at, 'levels', 'accept', 'merger')
  expect(accepted.code).toBe(73)
  expect(accepted.stderr).toContain('No level is proposed')
  const given = await ctl(at, '--json', 'levels', 'set', 'merger', '3', '--reason', 'fixed')
  expect(JSON.parse(given.stdout)).toMatchObject({
    level: 3,
    history: [{ cause: 'granted', reason: 'fixed' }, {}],
  })
  expect((await levelsOf(at)).level).toBe(3)
})

test.each(inProof)(
  'an escape that a person reports lowers the level in the same way, once',
  async () => {
    const at = repository(merging)
    await ctl(at, 'run', at.file, '--trust', '--no-input', '--name', 'one')
    const { stdout } = await ctl(at, '--json', 'actions', 'one')
    const { key } = JSON.parse(stdout) as { readonly key: string }
    const escape = ['actions', 'one', '--escaped', key, '--because', 'it broke the shop']
    for (const _ of [1, 2]) expect((await ctl(at, ...escape)).code).toBe(0)
    const { level, history } = await levelsOf(at)
    expect(level).toBe(2)
    expect(history).toMatchObject([{ cause: 'escape', by: expect.stringContaining('tester') }])
    expect(history[0]?.reason).toContain('it broke the shop')
  },
)

test.each(inProof)(
  'evidence proposes a level once its bar is passed and what checks the work was measured',
  async () => {
    const at = repository(merging.replace('level: 3', 'level: earned'))
    for (const name of ['one', 'two']) {
      // Each begins on other files: the same work would not be done again.
      writeFileSync(join(at.work, 'a.txt'), `${name}\n`)
      at.git('commit', '-qam', name)
      await ctl(at, 'run', at.file, '--trust', '--no-input', '--name', name)
    }
    const bars = ['--level', '2', '--bar', '0.2', '--minimum', '2', '--reason', 'a test']
    expect(await ctl(at, 'levels', 'bars', 'merger', ...bars)).toMatchObject({ code: 0 })
    const before = await levelsOf(at)
    expect(before).toMatchObject({ level: 1, evidence: { trials: 2, successes: 2 } })
    expect(before.missing).toHaveLength(1)
    expect(before.missing[0]).toContain('was not measured as it is now')
  },
)

test('a process that was killed between marking an escape and lowering the level: the next look lowers it', async () => {
  const at = repository(merging)
  await ctl(at, 'run', at.file, '--trust', '--no-input', '--name', 'one')
  const host = await openHost({ folder: at.state })
  const { id } = await host.journal.findRun('one')
  const [merge] = await viewActions(host, id)
  const key = merge?.key ?? ''
  const marked = { type: 'action-recorded', key, kind: 'merge', status: 'escaped' } as const
  const ports = { ...host, clock: systemClock }
  await recordIdle(id, ports, createOwnerId(), { ...marked, reason: 'reverted' })
  // Two processes look at the same time.
  await Promise.all([updateLevels(ports), updateLevels(ports)])
  expect(await host.journal.trust.changes({ loop: 'merger', limit: 9 })).toMatchObject([
    { cause: 'escape', from: 3, level: 2 },
  ])
  await host.close()
})
