// What `loopctl actions` shows: merges are recorded with who did them, once; escapes count.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPolicy } from '../src/authority/policy/create-policy.ts'
import { systemClock } from '../src/engine/index.ts'
import { viewActionFacts, viewActions } from '../src/history/views/view-actions.ts'
import type { LoopType } from '../src/host/index.ts'
import { recordEscape } from '../src/launch/levels/record-escape.ts'
import { newFolder, newHost } from './host-fixture.ts'
import { newRepository, startIn } from './worktree-fixture.ts'

test('a merge is an action of the run, with who requested it, and is recorded once', async () => {
  const host = await newHost()
  await startIn(host, newRepository())
  const { id } = await host.journal.findRun('work')
  expect(
    await Promise.all([host.merge('work', { by: 'ada' }), host.merge('work', { by: 'eve' })]),
  ).toMatchObject(expect.arrayContaining([{ status: 'nothing', target: 'agent/lines' }]))
  const [merged, ...others] = await viewActions(host, id)
  expect(others).toEqual([])
  expect(merged).toMatchObject({ kind: 'merge', status: 'done', permission: { by: 'person' } })
  const ports = { ...host, clock: systemClock }
  const key = merged?.key ?? ''
  const escape = { key, reason: 'reverted', by: 'ada' }
  await expect(recordEscape(ports, 'work', { ...escape, key: 'x' })).rejects.toThrow('no action')
  expect(await recordEscape(ports, 'work', escape)).toMatchObject({ status: 'escaped' })
  await recordEscape(ports, 'work', escape)
  expect(await viewActionFacts(host)).toMatchObject([
    { loop: 'lines', kind: 'merge', proposed: 1, done: 1, verified: 1, escaped: 1, failed: 0 },
  ])
  // The end of the run is still its end.
  expect((await host.inspect('work')).run.status).toBe('completed')
})

test('a merge is judged by the policy of its run: as it was, or as it is trusted now', async () => {
  const host = await newHost()
  const file = join(newFolder(), 'rules.cedar')
  const rules = (kind: string): string =>
    `@id("never") forbid (principal, action == Action::"act", resource == ActionKind::"${kind}");`
  writeFileSync(file, rules('publish'))
  const policy = await createPolicy([{ file, mode: 'enforce', text: rules('publish') }])
  await startIn(host, newRepository(), 'work', { policy })
  writeFileSync(file, rules('other'))
  await expect(host.merge('work')).rejects.toMatchObject({ code: 'not-trusted' })
  rmSync(file)
  await expect(host.merge('work')).rejects.toMatchObject({ code: 'bad-policy' })
  writeFileSync(file, rules('publish'))
  expect(await host.merge('work')).toMatchObject({ status: 'merged' })
})

test('the policy sees the level of the run and how many sealed files it changed', async () => {
  const host = await newHost()
  const file = join(newFolder(), 'rules.cedar')
  const rules =
    '@id("level") forbid (principal, action == Action::"act", resource) when { context.level == 3 };\n' +
    '@id("sealed") forbid (principal, action == Action::"act", resource) when { context.sealedTouched > 0 };'
  writeFileSync(file, rules)
  const policy = await createPolicy([{ file, mode: 'enforce', text: rules }])
  await startIn(host, newRepository(), 'one', { policy, level: 3 })
  await expect(host.merge('one')).rejects.toThrow('level')
  await startIn(host, newRepository(), 'two', { policy })
  expect(await host.merge('two')).toMatchObject({ status: 'merged' })
  const seals = { paths: ['**/*'], except: [], keys: {} }
  await startIn(host, newRepository(), 'three', { policy, seals })
  await expect(host.merge('three')).rejects.toThrow('sealed')
})

/** Requests three actions: one is allowed, one is denied, one fails. */
const acting: LoopType<null, null, null, null> = {
  name: 'acting',
  createContext: () => null,
  async iterate(_context, it) {
    await it.act({ kind: 'comment', summary: 'Comment' })
    await it.act({ kind: 'publish', summary: 'Publish' })
    await it.act({ kind: 'break', summary: 'Break' }).catch(() => undefined)
    return null
  },
  extractProgress: () => null,
  until: [{ type: 'max-iterations', iterations: 1 }],
}

test('actions of a run are listed with the rule, the receipt or the reason', async () => {
  const host = await newHost()
  const run = await host.start(acting, {
    input: null,
    name: 'acting',
    gate: {
      judge: async ({ kind }) =>
        kind === 'publish'
          ? { type: 'deny', reason: 'never', rule: 'mine' }
          : { type: 'allow', rule: 'mine' },
    },
    actions: {
      perform: async ({ kind }) => {
        if (kind === 'break') throw new Error('broken')
        return { status: 'done', summary: 'commented' }
      },
      find: async () => ({ type: 'not-done' }),
    },
  })
  await run.done
  expect(await viewActions(host, run.id)).toMatchObject([
    {
      kind: 'comment',
      status: 'done',
      key: `${run.id}/1/action:comment#1`,
      permission: { by: 'rule', name: 'mine' },
      receipt: { summary: 'commented' },
      facts: { level: 2, verified: false },
    },
    { kind: 'publish', status: 'refused', reason: 'never' },
    { kind: 'break', status: 'failed', reason: 'broken' },
  ])
})
