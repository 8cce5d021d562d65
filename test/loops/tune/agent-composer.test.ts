// A tuning loop whose composer is an agent: scripted answers, everything else is real.

import { describe, expect, test } from 'vitest'
import type { AgentTask } from '../../../src/loop/index.ts'
import type { TuneSettings } from '../../../src/loops/tune/tune-session.ts'
import { createTuneStory, type FakeWorkload, playTune } from './fixture.ts'

const rules = 'Read the invoice and write its total.\nWrite a number.\n'

/** A case is good once the rules name an anchor; half of them also need the currency. */
const invoices: FakeWorkload = {
  rules,
  cases: ['a', 'b', 'c', 'd', 'e', 'f', 'sealed-1', 'sealed-2'],
  run: (text, id) =>
    text.includes('last line') && ('abc'.includes(id) || text.includes('currency'))
      ? 'good'
      : 'bad',
  manifest: {
    knobs: {},
    split: { holdout: 0.25, seed: 'x' },
    domainDocs: ['notes.md'],
    maxIterations: 4,
  },
}

const optionOf = (
  current: string,
  proposed: string,
  predicts: readonly string[],
  more: object = {},
) => ({
  name: 'a name',
  summary: 'a summary',
  mechanism: 'An anchoring rule that ties the number to one place of the text.',
  edits: [{ file: 'rules.txt', section: 'top', current, proposed }],
  predicts,
  recommended: false,
  ...more,
})

const three = (current: string, proposals: readonly string[], predicts: readonly string[]) => ({
  rootCause: 'There is no anchor.',
  options: proposals.map((proposed, at) =>
    optionOf(current, proposed, predicts, { recommended: at === 1 }),
  ),
})

const firstAnswer = (predicts: readonly string[]) =>
  three(
    'Write a number.',
    [
      'Write a number from the first line.',
      'Write the number of the last line.',
      'Write the largest number of the page.',
    ],
    predicts,
  )

const secondAnswer = (predicts: readonly string[]) =>
  three(
    'Read the invoice',
    [
      'Read the invoice twice, from its end',
      'Look for the currency first, then read the invoice',
      'Split the invoice into blocks, then read it',
    ],
    predicts,
  )

function composing(answers: readonly unknown[]) {
  const prompts: AgentTask[] = []
  const options: unknown[] = []
  return {
    prompts,
    options,
    agents: {
      async work(role: string, task: AgentTask, context: { tools(): Promise<unknown> }) {
        expect(role).toBe('composer')
        options.push(await context.tools())
        const answer = answers[Math.min(prompts.length, answers.length - 1)]
        prompts.push(task)
        const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
        return { status: 'done' as const, text, usage: { tokens: 1, costMicros: 1 }, turns: 1 }
      },
    },
  }
}

async function play(
  answers: readonly unknown[],
  settings: Partial<TuneSettings> = {},
  workload: FakeWorkload = invoices,
) {
  const composer = composing(answers)
  const played = await playTune(
    workload,
    { composer: 'agent', ...settings },
    { agents: composer.agents },
  )
  return { ...played, ...composer }
}

const suite = [
  'cases/a',
  'cases/b',
  'cases/c',
  'cases/d',
  'cases/e',
  'cases/f',
  'cases/sealed-1',
  'cases/sealed-2',
]

describe('a composer that is an agent', () => {
  test('gets artifacts, critiques, history and documents, and its options are raced to a proof', async () => {
    const first = await play(['none'])
    const { split } =
      first.state.phase === 'ended' ? first.state.workload : { split: { suite: [], holdout: [] } }
    expect(split.holdout).toHaveLength(2)
    const { state, prompts, options } = await play([
      firstAnswer(split.suite),
      secondAnswer(split.suite),
    ])
    if (state.phase !== 'ended') throw new Error(state.phase)
    expect(state.proof).toMatchObject({ verdict: 'improved' })
    expect(state.incumbent.version.artifacts['rules.txt']).toBe(
      'Look for the currency first, then read the invoice and write its total.\nWrite the number of the last line.\n',
    )
    const [one = '', two = ''] = prompts.map(({ prompt }) => prompt)
    expect(one).toContain(rules)
    expect(one).toContain('it is bad')
    expect(two).toContain('Write the number of the last line.')
    expect(two).toContain('predicted: After this change')
    // Nothing of the holdout, not even a name, and no tool to look for it.
    for (const id of split.holdout)
      expect(prompts.map(({ prompt }) => prompt).join()).not.toContain(id)
    expect(options).toEqual(prompts.map(() => []))
  })

  test.each<[string, unknown, string]>([
    ['prose', 'Just improve it.', 'not one JSON object'],
    [
      'two options',
      { rootCause: 'x', options: firstAnswer(suite).options.slice(1) },
      'it has 2 options',
    ],
    [
      'a sealed or unknown case as prediction',
      firstAnswer(['cases/../../etc/passwd']),
      'not one of the cases',
    ],
    [
      'an edit of the manifest',
      three('a', ['b', 'c', 'd'], ['cases/a']),
      'not in rules.txt exactly once',
    ],
    ['ten megabytes', 'x'.repeat(10_000_000), 'is the limit'],
  ])(
    'that answers %s is asked again with the reason, three times at most',
    async (_what, answer, reason) => {
      const { state, prompts, acted, outcome } = await play([answer])
      expect(prompts).toHaveLength(3)
      expect(prompts[1]?.prompt).toContain(reason)
      expect(outcome).toEqual({ type: 'completed', condition: 'no-options-left' })
      expect(state).toMatchObject({ phase: 'ended', applied: 'nothing' })
      expect(acted).toEqual([])
      expect(JSON.stringify(state.log)).toContain('Answer 3 of the composer was rejected')
    },
  )

  test('may be asked again by a person with their reasons', async () => {
    const composer = composing([firstAnswer(['cases/a']), secondAnswer(['cases/b'])])
    const { world, loop, input } = await createTuneStory(
      { ...invoices, manifest: { knobs: {}, maxIterations: 2 } },
      { pick: 'ask', apply: 'ask', composer: 'agent' },
      undefined,
      { waitMsMax: 0, agents: composer.agents },
    ).story
    const run = await world.start(loop, { input: input as never })
    await world.decide(run, { type: 'answer', question: '3/ask:baseline#1', answer: 'begin' })
    await world.decide(run, {
      type: 'answer',
      question: '4/ask:pick 1#1',
      answer: 'feedback',
      kind: 'respond',
      text: 'The currency matters.',
    } as never)
    await world.decide(run, { type: 'answer', question: '4/ask:pick 1#2', answer: '1.1' })
    await world.decide(run, { type: 'answer', question: '5/ask:pick 2#1', answer: 'stop' })
    await world.finish(run, loop)
    expect(composer.prompts[1]?.prompt).toContain('The currency matters.')
    const { progress } = await world.state(run)
    expect(JSON.stringify(progress)).toContain('Look for the currency first')
  })
})
