import { uuidv7 } from 'uuidv7'
import { expect, test } from 'vitest'
import { createRun, driveRun, systemClock } from '../src/engine/index.ts'
import { openSqliteJournal } from '../src/journal/index.ts'
import type { LoopType, RunId } from '../src/loop/index.ts'
import { memoryBlobs } from '../src/testing/memory-blobs.ts'

const counter: LoopType<{ goal: number }, { n: number; goal: number }, { n: number }, number> = {
  name: 'counter',
  createContext: (input, previous) => ({ goal: input.goal, n: previous?.n ?? 0 }),
  iterate: async (context, it) => {
    const a = await it.step('add', () => context.n + 1)
    const both = await it.parallel({
      left: (b) => b.step('l', async () => a * 2),
      right: (b) => b.step('r', async () => a * 3),
    })
    return both.right - both.left
  },
  extractProgress: (n) => ({ n }),
  until: [{ type: 'custom', name: 'goal reached', met: (p) => p.n >= 3 }],
}

test('a loop runs until its condition is met', async () => {
  const journal = openSqliteJournal({ path: ':memory:' })
  const ports = { journal, blobs: memoryBlobs(), clock: systemClock }
  const id = uuidv7() as RunId
  await createRun(counter, ports, { id, name: 'x', input: { goal: 3 } })
  const end = await driveRun(id, counter, ports, { owner: 'me' })
  const events = await journal.read(id)
  console.log(events.map((e) => JSON.stringify(e.event)).join('\n'))
  expect(end).toEqual({ type: 'ended', outcome: { type: 'completed', condition: 'goal reached' } })
})
