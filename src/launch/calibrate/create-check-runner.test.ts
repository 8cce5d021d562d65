import { expect, test } from 'vitest'
import type { Check } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import type { AgentReport, TreeId } from '../../loop/index.ts'
import { createCheckRunner } from './create-check-runner.ts'
import { createJudgeBudget } from './money.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function createRunner(run: Check, signal = new AbortController().signal) {
  const money = createJudgeBudget(100)
  const check = { name: 'a', kind: 'judge', run } as OpenCheck
  const ask = createCheckRunner({
    measured: {
      tree: 'head' as TreeId,
      workspace: '/nonexistent',
      repository: undefined,
      reader: {
        list: () => Promise.resolve(new Map()),
        read: () => Promise.resolve(encode('one\ntwo\n')),
        patch: (before, after, paths) =>
          Promise.resolve(`patch ${before} ${after} ${paths.join()}`),
      },
      commits: [
        {
          commit: 'c',
          subject: 's',
          before: 'before' as TreeId,
          after: 'head' as TreeId,
          paths: ['b'],
        },
      ],
    },
    place: {
      checkout: {
        path: '/clean',
        reset: async () => {},
        written: async () => [],
        remove: async () => {},
      },
      agents: {
        async work(role, task, { reserve, workspace, remaining }): Promise<AgentReport> {
          await (await reserve({ tokens: 1, costMicros: 60 })).settle({ tokens: 1, costMicros: 40 })
          const text = `${role} ${task.prompt} ${workspace} ${remaining().costMicros}`
          return { status: 'done', text, turns: 1, usage: { tokens: 1, costMicros: 40 } } as never
        },
      },
    },
    parts: {},
    money,
    signal,
  })
  return { ask: (limitMs?: number) => ask(check, over, limitMs), money }
}

const over = new Map([['a.js', { content: encode('one\n2\n'), kind: 'file' as const }]])

test('a judge works in the checkout, sees the last commit with the planted change, and is metered', async () => {
  const said: string[] = []
  const { ask, money } = createRunner(async ({ work, changes }) => {
    said.push((await work('judge:a', { prompt: 'look' })).text, (await changes?.()) ?? '')
    return { status: 'met', output: '' }
  })
  expect(await ask()).toMatchObject({ status: 'met' })
  expect(said[0]).toBe('judge:a look /clean 60')
  expect(said[1]).toContain('patch before head b')
  expect(said[1]).toContain('-two\n+2\n')
  expect(money.spentMicros()).toBe(40)
  // The next worst case just fits; the one after that does not.
  expect(await ask()).toMatchObject({ status: 'met' })
  expect(await ask()).toEqual({ status: 'error' })
  expect(money.isOver()).toBe(true)
})

test('a check that does not end is stopped and has not passed; an abort is not a result', async () => {
  const endless: Check = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('ended')), { once: true })
    })
  expect(await createRunner(endless).ask(1)).toEqual({ status: 'timeout' })
  const stop = new AbortController()
  const asked = createRunner(endless, stop.signal).ask()
  stop.abort(new Error('Ctrl-C'))
  await expect(asked).rejects.toThrow('Ctrl-C')
})
