/** The inbox: questions of all runs that wait for a person. */

import assert from 'node:assert/strict'
import type { Store } from '../../engine/index.ts'
import type { RunEvent, StepId } from '../../loop/index.ts'
import { writeRun } from '../write-run.ts'
import { ask, begin, end, ended, finish, type StoreCase } from './store-case.ts'

const idsOf = async (store: Store): Promise<readonly string[]> =>
  (await store.questions({ limit: 99 })).map(({ id }) => id)

const closings: readonly (readonly [what: string, events: readonly RunEvent[]])[] = [
  ['its step finishes', [finish('ask:tone#1')]],
  [
    'its step fails',
    [
      {
        type: 'step-failed',
        iteration: 1,
        step: 'ask:tone#1' as StepId,
        attempt: 1,
        fault: { code: 'x', message: '' } as never,
      },
    ],
  ],
  ['its iteration ends', [end(1)]],
  ['its iteration restarts', [{ type: 'iteration-restarted', iteration: 1, reason: '' }]],
  ['its run is rewound', [{ type: 'run-rewound', toIteration: 0 }]],
  ['its run ends', [ended]],
]

export const questionCases: readonly StoreCase[] = [
  {
    name: 'lists the questions of all runs, the earliest deadline first, in pages',
    async play(store) {
      const one = await writeRun(store, { name: 'one', atMs: 5 })
      const other = await writeRun(store, { name: 'other', atMs: 6 })
      await one.write(begin(1), ask(1, 'late', 9000), ask(1, 'early', 7000))
      await other.write(begin(1), ask(1, 'middle', 8000), ask(1, 'also', 9000))
      const [first, ...rest] = await store.questions({ limit: 99 })
      assert.deepEqual(first, {
        run: one.run,
        name: 'one',
        id: '1/ask:early#1',
        question: { text: 'early?', default: 'no' },
        askedAtMs: 5,
        deadlineAtMs: 7000,
      })
      assert.deepEqual(
        rest.map(({ name, id }) => [name, id]),
        [
          ['other', '1/ask:middle#1'],
          ['one', '1/ask:late#1'],
          ['other', '1/ask:also#1'],
        ],
      )
      const page = await store.questions({ limit: 2 })
      const after = page.at(-1)
      assert.ok(after !== undefined)
      assert.deepEqual(await store.questions({ limit: 2, after }), rest.slice(1))
    },
  },
  ...closings.map(
    ([what, events]): StoreCase => ({
      name: `no longer lists a question when ${what}`,
      async play(store) {
        const { write } = await writeRun(store)
        await write(begin(1), ask(1, 'tone', 9000))
        assert.deepEqual(await idsOf(store), ['1/ask:tone#1'])
        await write(...events)
        assert.deepEqual(await idsOf(store), [])
      },
    }),
  ),
  {
    name: 'lists a question once if it is asked again after an interruption, with its first time',
    async play(store) {
      const { write, run } = await writeRun(store, { atMs: 5 })
      const ending = { type: 'interrupted', reason: '' } as const
      await write(begin(1), ask(1, 'tone', 9000))
      await write({ type: 'iteration-ended', iteration: 1, ending })
      await write({ type: 'iteration-started', iteration: 1, again: true }, ask(1, 'tone', 9999))
      const questions = await store.questions({ limit: 9 })
      assert.deepEqual(
        questions.map((one) => [one.run, one.deadlineAtMs]),
        [[run, 9000]],
      )
    },
  },
  {
    name: 'does not list a question that has an answer',
    async play(store) {
      const { run, write } = await writeRun(store)
      await write(begin(1), ask(1, 'tone', 9000), ask(1, 'other', 9000))
      const decision = { type: 'answer', question: '1/ask:tone#1', answer: 'yes' } as const
      await store.recordDecision(run, decision, 'ada', 5)
      assert.deepEqual(await idsOf(store), ['1/ask:other#1'])
    },
  },
]
