// The level of a run is what its loop file allows and what its loop was left with: over loopctl, the journal and the gate.

import { realpathSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { NewLevelChange } from '../src/engine/index.ts'
import { openHost } from '../src/host/index.ts'
import { ctl, type Place, place } from './e2e/loop-fixture.ts'

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

test('earned begins at level 1 and performs nothing; a person can give it level 3', async () => {
  expect(await run(place(loop('earned')))).toEqual({ code: 0, level: 1, action: 'refused' })
  const given = place(loop('earned'))
  await withLevel(given, { level: 3 })
  expect(await run(given)).toEqual({ code: 0, level: 3, action: 'done' })
})
