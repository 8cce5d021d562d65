import { beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../engine/index.ts'
import type { Decision, RunEvent, StoredDecision } from '../loop/index.ts'
import { writeRun } from '../testing/write-run.ts'
import { openStore } from './open-store.ts'

let journal: Store

beforeEach(() => {
  journal = openStore({ path: ':memory:' })
})

const pause: Decision = { type: 'pause' }
const answer = (text: string, question = '1/ask:deploy#1'): Decision => ({
  type: 'answer',
  question,
  answer: text,
})
const applied = ({ id, by, decision }: StoredDecision): RunEvent => ({
  type: 'decision-applied',
  id,
  by,
  decision,
})
const ended: RunEvent = { type: 'run-ended', outcome: { type: 'cancelled', by: 'ada', reason: '' } }

describe('E11: what people decided', () => {
  test('waits in the order in which it was decided, until it is applied', async () => {
    const { run, write } = await writeRun(journal)
    const first = await journal.recordDecision(run, pause, 'ada', 5)
    const second = await journal.recordDecision(run, { type: 'resume' }, 'bob', 6)
    expect(first).toMatchObject({ by: 'ada', atMs: 5, decision: pause })
    expect(await journal.pendingDecisions(run)).toEqual([first, second])
    await write(applied(first))
    expect(await journal.pendingDecisions(run)).toEqual([second])
  })

  test('is applied once: a second time is refused, and nothing of that unit is written', async () => {
    const { run, write, unit, take } = await writeRun(journal)
    const lease = await take()
    const stored = await journal.recordDecision(run, pause, 'ada', 5)
    await write(applied(stored))
    const again = journal.append(lease, unit([applied(stored)]))
    await expect(again).rejects.toMatchObject({ code: 'fenced' })
    expect(await journal.read(run)).toHaveLength(2)
  })

  test('is marked in the transaction that holds its event, or not at all', async () => {
    const { run, unit, take } = await writeRun(journal)
    const lease = await take()
    const stored = await journal.recordDecision(run, pause, 'ada', 5)
    await journal.release(lease)
    await journal.acquire(run, 'newer')
    await expect(journal.append(lease, unit([applied(stored)]))).rejects.toMatchObject({
      code: 'fenced',
    })
    expect(await journal.pendingDecisions(run)).toEqual([stored])
  })

  test('is one answer to a question: the second is refused, in whatever order they are applied', async () => {
    const { run, write } = await writeRun(journal)
    const stored = await journal.recordDecision(run, answer('yes'), 'ada', 5)
    const second = journal.recordDecision(run, answer('no'), 'bob', 5)
    await expect(second).rejects.toMatchObject({ code: 'already-answered' })
    await write(applied(stored))
    const third = journal.recordDecision(run, answer('no'), 'bob', 5)
    await expect(third).rejects.toMatchObject({ code: 'already-answered' })
    expect(await journal.pendingDecisions(run)).toEqual([])
  })

  test('does not conflict with other questions and other runs', async () => {
    const one = await writeRun(journal)
    const other = await writeRun(journal)
    await journal.recordDecision(one.run, answer('yes'), 'ada', 5)
    await journal.recordDecision(one.run, answer('yes', '1/ask:other#1'), 'ada', 5)
    await journal.recordDecision(other.run, answer('no'), 'ada', 5)
    expect(await journal.pendingDecisions(one.run)).toHaveLength(2)
    expect(await journal.pendingDecisions(other.run)).toHaveLength(1)
  })

  test('after the end is refused, and what was still waiting then is closed', async () => {
    const { run, write } = await writeRun(journal)
    await journal.recordDecision(run, pause, 'ada', 5)
    await write(ended)
    expect(await journal.pendingDecisions(run)).toEqual([])
    await expect(journal.recordDecision(run, pause, 'ada', 5)).rejects.toMatchObject({
      code: 'wrong-status',
    })
  })

  test.each<[string, RunEvent]>([
    ['the run was rewound', { type: 'run-rewound', toIteration: 0 }],
    ['its iteration was restarted', { type: 'iteration-restarted', iteration: 1, reason: '' }],
  ])('can be decided anew when %s', async (_name, event) => {
    const { run, write } = await writeRun(journal)
    const first = await journal.recordDecision(run, answer('yes'), 'ada', 5)
    await write({ type: 'iteration-started', iteration: 1 }, applied(first), event)
    const second = await journal.recordDecision(run, answer('no'), 'bob', 6)
    expect(await journal.pendingDecisions(run)).toEqual([second])
  })

  test.each(['explode', 'toString', undefined])(
    'of an unknown type is refused: %s',
    async (type) => {
      const { run } = await writeRun(journal)
      const decision = { type } as unknown as Decision
      await expect(journal.recordDecision(run, decision, 'ada', 5)).rejects.toMatchObject({
        code: 'bad-request',
      })
      expect(await journal.pendingDecisions(run)).toEqual([])
    },
  )

  test('for an unknown run is refused', async () => {
    const { run } = await writeRun(openStore({ path: ':memory:' }))
    await expect(journal.recordDecision(run, pause, 'ada', 5)).rejects.toMatchObject({
      code: 'unknown-run',
    })
  })
})
