/** The daemon as a process, killed around a tick of a schedule: the tick has one run. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { previewLoop, trustLoop } from '../../src/launch/load-loop.ts'
import type { Schedule } from '../../src/protocol/api/index.ts'
import { commitFirst } from '../first-commit.ts'
import { newState, startDaemon } from './start-daemon.ts'

const small = `
prompt: Count.
checks: { yes: 'true' }
agent: { script: [[{ say: Counted. }]] }
`

const waits = { timeout: 60_000, interval: 100 }

const moments = [0, 20, 40, 60, 80, 110, 150, 200, 300, 500]
const cases = moments.flatMap((ms) => [['a folder', ms] as const, ['a repository', ms] as const])

test.each(cases)(
  'in %s, killed %i ms after a schedule was added, the next daemon has one run for its tick',
  async (kind, afterMs) => {
    const state = newState()
    const before = await startDaemon({ state })
    const workspace = join(dirname(state), 'work')
    mkdirSync(workspace)
    if (kind === 'a repository') commitFirst(workspace, process.env)
    const file = join(dirname(state), 'chore.yaml')
    writeFileSync(file, small)
    await trustLoop(await previewLoop(file, state), state)
    const trigger = { type: 'time', cadence: 'daily 09:00' }
    const added = await before.ask('POST', '/schedules', {
      file,
      workspace,
      trigger,
      name: 'chore',
    })
    expect(added.status).toBe(201)
    await new Promise((resolve) => void setTimeout(resolve, afterMs))
    await before.kill()
    const after = await startDaemon({ state })
    const show = async (): Promise<Schedule> =>
      (await after.ask('GET', '/schedules/chore')).json() as Schedule
    await vi.waitFor(
      async () => expect(await show()).toMatchObject({ last: { status: 'ended' } }),
      waits,
    )
    const runs = (await after.ask('GET', '/runs')).json() as { readonly items: readonly object[] }
    expect(runs.items).toHaveLength(1)
    expect((await show()).ticks).toHaveLength(1)
  },
)
