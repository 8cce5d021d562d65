/** E11. What people decided is kept in order and applied exactly once. */

import assert from 'node:assert/strict'
import type { Decision, RunEvent, RunId, StoredDecision } from '../../loop/index.ts'
import { writeRun } from '../write-run.ts'
import { begin, ended, refuses, type StoreCase } from './store-case.ts'

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

export const decisionCases: readonly StoreCase[] = [
  {
    name: 'E11: keeps decisions in their order until an event applies them',
    async play(store, scene) {
      const { run, write } = await writeRun(store)
      const first = await scene.open().recordDecision(run, pause, 'ada', 5)
      const second = await store.recordDecision(run, { type: 'resume' }, 'bob', 6)
      assert.deepEqual([first.by, first.atMs, first.decision], ['ada', 5, pause])
      assert.deepEqual(await store.pendingDecisions(run), [first, second])
      await write(applied(first))
      assert.deepEqual(await store.pendingDecisions(run), [second])
    },
  },
  {
    name: 'E11: refuses to apply a decision twice, and keeps nothing of that unit',
    async play(store) {
      const { run, take, unit, write } = await writeRun(store)
      const lease = await take()
      const stored = await store.recordDecision(run, pause, 'ada', 5)
      await write(applied(stored))
      await refuses(store.append(lease, unit([applied(stored)])), 'fenced')
      assert.equal((await store.read(run)).length, 2)
    },
  },
  {
    name: 'E11: leaves a decision pending if its event was refused',
    async play(store) {
      const { run, take, unit } = await writeRun(store)
      const lease = await take()
      const stored = await store.recordDecision(run, pause, 'ada', 5)
      await store.release(lease)
      await store.acquire(run, 'newer')
      await refuses(store.append(lease, unit([applied(stored)])), 'fenced')
      assert.deepEqual(await store.pendingDecisions(run), [stored])
    },
  },
  {
    name: 'E11: keeps one answer to a question, before and after it was applied',
    async play(store) {
      const { run, write } = await writeRun(store)
      const stored = await store.recordDecision(run, answer('yes'), 'ada', 5)
      await refuses(store.recordDecision(run, answer('no'), 'bob', 5), 'already-answered')
      await write(applied(stored))
      await refuses(store.recordDecision(run, answer('no'), 'bob', 5), 'already-answered')
      assert.deepEqual(await store.pendingDecisions(run), [])
    },
  },
  {
    name: 'E11: keeps answers to other questions and of other runs beside it',
    async play(store) {
      const [one, other] = [await writeRun(store), await writeRun(store)]
      await store.recordDecision(one.run, answer('yes'), 'ada', 5)
      await store.recordDecision(one.run, answer('yes', '1/ask:other#1'), 'ada', 5)
      await store.recordDecision(other.run, answer('no'), 'ada', 5)
      assert.equal((await store.pendingDecisions(one.run)).length, 2)
      assert.equal((await store.pendingDecisions(other.run)).length, 1)
    },
  },
  {
    name: 'E11: keeps only one of two answers that are given at the same moment',
    async play(store, scene) {
      const { run } = await writeRun(store)
      const results = await Promise.allSettled(
        [store, scene.open()].map((one) => one.recordDecision(run, answer('yes'), 'ada', 5)),
      )
      assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      assert.equal((await store.pendingDecisions(run)).length, 1)
    },
  },
  {
    name: 'E11: closes what was pending when a run ends, and refuses more',
    async play(store) {
      const { run, write } = await writeRun(store)
      await store.recordDecision(run, pause, 'ada', 5)
      await write(ended)
      assert.deepEqual(await store.pendingDecisions(run), [])
      await refuses(store.recordDecision(run, pause, 'ada', 5), 'wrong-status')
    },
  },
  ...(
    [
      ['the run is rewound', { type: 'run-rewound', toIteration: 0 }],
      ['its iteration restarts', { type: 'iteration-restarted', iteration: 1, reason: '' }],
    ] as const
  ).map(
    ([when, event]): StoreCase => ({
      name: `E11: accepts a new answer to a question when ${when}`,
      async play(store) {
        const { run, write } = await writeRun(store)
        const first = await store.recordDecision(run, answer('yes'), 'ada', 5)
        await write(begin(1), applied(first), event)
        const second = await store.recordDecision(run, answer('no'), 'bob', 6)
        assert.deepEqual(await store.pendingDecisions(run), [second])
      },
    }),
  ),
  {
    name: 'refuses a decision of an unknown type, and one for an unknown run',
    async play(store) {
      const { run } = await writeRun(store)
      for (const type of ['explode', 'toString', undefined]) {
        await refuses(store.recordDecision(run, { type } as never, 'ada', 5), 'bad-request')
      }
      await refuses(store.recordDecision('gone' as RunId, pause, 'ada', 5), 'unknown-run')
      assert.deepEqual(await store.pendingDecisions(run), [])
    },
  },
]
