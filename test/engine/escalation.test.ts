// Escalation: every trigger fires on its example, several make one question, and each answer has its effect.

import { describe, expect, test } from 'vitest'
import { findBlocker } from '../../src/loop/authority/escalation.ts'
import { type Decision, describeOutcome, type RunId } from '../../src/loop/index.ts'
import { always, createLoop, createScene, type Scene, type Turn } from './escalation-fixture.ts'
import { createWorld, moments, type World, worldAfter } from './fixture.ts'

const conflict = { code: 'conflict', message: 'in a.ts', retryable: false }
const question = (iteration: number, count = 1): string => `${iteration}/ask:escalation#${count}`

const answerWith = (
  iteration: number,
  answer: string,
  more: Partial<Extract<Decision, { type: 'answer' }>> = {},
): Decision => ({ type: 'answer', question: question(iteration), answer, ...more })

async function run(
  { world, loop }: Pick<Scene, 'world' | 'loop'>,
  decisions: readonly Decision[] = [],
  iterations = 30,
): Promise<RunId> {
  const id = await world.start(loop, { limits: { iterations } })
  for (const decision of decisions) await world.decide(id, decision)
  await world.finish(id, loop)
  return id
}

/** The questions of a run: their iterations, and what happened. */
async function asked(world: World, id: RunId) {
  const started = await world.only(id, 'step-started')
  return started.flatMap(({ iteration, question: one }) =>
    one === undefined ? [] : [{ iteration, ...one }],
  )
}

const files = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/${at}.ts`, 'new']))

/** Each example fires one trigger, in this iteration, and its default ends the run as stuck. */
const examples: readonly [name: string, turns: readonly Turn[], iteration: number][] = [
  ['no-file-change', [{}], 5],
  [
    'no-improvement',
    [1, 2, 3, 4].map((n) => ({ files: { 'a.ts': `${n}` }, tests: [1, 2] as const })),
    4,
  ],
  [
    'too-many-files',
    [
      { files: files(20), tests: [1, 2] },
      { files: files(21), tests: [2, 1] },
    ],
    2,
  ],
  ['outside-scope', [{ files: { 'docs/a.md': 'new' }, tests: [1, 2] }], 1],
]

describe('each trigger fires on its example', () => {
  const escalation = {
    ...always,
    outsideScope: (paths: readonly string[]) => paths.filter((path) => path.startsWith('docs/')),
  }

  test.each(examples)('%s', async (name, turns, iteration) => {
    const scene = createScene(turns, { escalation })
    const id = await run(scene)
    const found = await asked(scene.world, id)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ iteration, default: 'terminate' })
    expect(found[0]?.evidence?.happened).toHaveLength(1)
    const ended = await scene.world.only(id, 'iteration-ended')
    expect(ended.at(-1)?.escalated).toEqual({ triggers: [name], choice: 'terminate' })
    const { outcome } = await scene.world.state(id)
    expect(outcome).toMatchObject({ type: 'stuck', condition: `escalate.${name}` })
  })

  test('same-error: the run ends exactly as it would have without the question', async () => {
    const turns = [{ fault: conflict }]
    const scene = createScene(turns)
    const id = await run(scene)
    expect(await asked(scene.world, id)).toMatchObject([{ iteration: 3 }])
    const other = createScene(turns)
    const without = createWorld({ workspace: other.workspace })
    const before = await run({ world: without, loop: other.loop })
    const outcome = (await scene.world.state(id)).outcome
    expect(outcome).toMatchObject({ type: 'stuck', condition: 'limits.same-errors' })
    expect(outcome).toEqual((await without.state(before)).outcome)
  })

  test('verification-attempts: ten without progress, although each changes files and no test counts', async () => {
    const world = createWorld({
      escalation: always,
      checks: { lint: async () => ({ status: 'not-met', output: 'bad' }) },
    })
    const id = await run({ world, loop: createLoop(() => undefined) })
    expect(await asked(world, id)).toMatchObject([
      {
        iteration: 10,
        evidence: { checks: [{ check: 'lint', status: 'not-met', output: 'bad' }] },
      },
    ])
  })

  test.each([
    ['agent-not-started', 'missing dependency'],
    ['EACCES', 'permission denied'],
    ['provider-failed', 'API unavailable'],
  ])(
    'external-blocker: %s asks at once, and a person who fixed it lets the run go on',
    async (code, blocker) => {
      expect(findBlocker({ code })).toBe(blocker)
      const fault = { code, message: 'It is missing.', retryable: false, fatal: true }
      const turns: readonly Turn[] = [{ fault }, { files: { 'a.ts': 'fixed' }, tests: [3, 0] }]
      const ending = createScene(turns)
      const failed = await run(ending)
      expect((await ending.world.state(failed)).outcome).toMatchObject({ type: 'failed', fault })
      const scene = createScene(turns)
      const fixed = await run(scene, [answerWith(1, 'override')])
      expect((await scene.world.state(fixed)).outcome).toMatchObject({ type: 'completed' })
    },
  )
})

describe('a person answers', () => {
  const repeated: readonly Turn[] = [{}, {}, {}, {}, {}]
  const done: Turn = { files: { 'a.ts': 'done' }, tests: [3, 0] }

  test('guidance: the text reaches the next iteration, and the counters start again', async () => {
    const scene = createScene([...repeated, done])
    const text = 'Look at a.ts.'
    const id = await run(scene, [answerWith(5, 'guidance', { kind: 'respond', text })])
    const { outcome, progress } = await scene.world.state(id)
    expect(outcome).toMatchObject({ type: 'completed' })
    expect(progress).toBe(`6 ${text}`)
    expect(await asked(scene.world, id)).toHaveLength(1)
  })

  test('override: the trigger is ignored from then on', async () => {
    const scene = createScene([{}])
    const id = await run(scene, [answerWith(5, 'override', { kind: 'accept' })], 14)
    expect((await scene.world.state(id)).outcome).toMatchObject({ type: 'exhausted' })
    expect(await asked(scene.world, id)).toHaveLength(1)
  })

  test('approve: the files may be changed, and only new ones are asked about', async () => {
    const scene = createScene([
      { files: files(25), tests: [1, 2] },
      { files: files(30), tests: [2, 1] },
      { files: files(31), tests: [3, 0] },
    ])
    const id = await run(scene, [answerWith(1, 'approve', { kind: 'accept' })])
    const [first, ...others] = await asked(scene.world, id)
    expect(first?.options).toEqual(['guidance', 'override', 'approve', 'terminate'])
    expect(first?.kinds).toEqual({ accept: 'approve', reject: 'terminate', respond: 'guidance' })
    expect(others).toEqual([])
    expect((await scene.world.state(id)).outcome).toMatchObject({ type: 'completed' })
  })

  test('work with too many files is not certified before it is approved', async () => {
    const turns = [{ files: files(21), tests: [3, 0] as const }]
    const refused = createScene(turns)
    const ended = await run(refused)
    expect((await refused.world.state(ended)).outcome).toMatchObject({
      type: 'stuck',
      condition: 'escalate.too-many-files',
    })
    const approved = createScene(turns)
    const id = await run(approved, [answerWith(1, 'approve')])
    expect((await approved.world.state(id)).outcome).toMatchObject({ type: 'completed' })
  })

  test('several triggers make one question', async () => {
    const scene = createScene([{ files: { ...files(21), 'docs/a': 'x' } }, {}, {}, {}, {}, {}], {
      escalation: { ...always, outsideScope: (paths) => paths.filter((p) => p.startsWith('docs')) },
    })
    const id = await run(scene)
    const found = await asked(scene.world, id)
    expect(found).toHaveLength(1)
    expect(found[0]?.evidence?.happened).toEqual([
      'The run changed 22 files; without approval it may change 20.',
      'Files outside the scope were changed: docs/a',
    ])
  })
})

test('the run pauses at once: nothing happens between the last check and the question', async () => {
  const scene = createScene([{}])
  const id = await run(scene)
  const events = await scene.world.events(id)
  const at = events.findIndex(({ event }) => event.type === 'step-started' && event.question)
  expect((events[at]?.atMs ?? 0) - (events[at - 1]?.atMs ?? 0)).toBeLessThan(1000)
})

test('only instead of ending as stuck, if that is what the run wants', async () => {
  const until = { until: [{ type: 'no-progress' as const, iterations: 6 }] }
  const loop = createLoop(() => undefined, {
    ...until,
    extractProgress: () => 'the same',
  })
  const world = createWorld({ escalation: { ...always, when: 'stuck' } })
  const id = await run({ world, loop })
  expect(await asked(world, id)).toMatchObject([{ iteration: 7 }])
  expect((await world.state(id)).outcome).toMatchObject({ type: 'stuck', condition: 'no-progress' })
})

test('another agent starts with new counters', async () => {
  const scene = createScene([{}])
  const id = await scene.world.start(scene.loop)
  const stop = new AbortController()
  const { world, loop } = scene
  const counting = createLoop((iteration) => {
    if (iteration === 4) stop.abort()
  })
  expect(counting.name).toBe(loop.name)
  await world.finish(
    id,
    { ...loop, iterate: counting.iterate },
    { signal: stop.signal, agent: { name: 'one' }, force: true },
  )
  expect((await world.state(id)).attempts.withoutChange).toBeGreaterThan(2)
  const paused = new AbortController()
  paused.abort()
  await world.finish(id, loop, { signal: paused.signal, agent: { name: 'two' }, force: true })
  expect((await world.state(id)).attempts).toMatchObject({ withoutChange: 0, verifications: 0 })
})

describe('E2: from any prefix of its journal, a run that escalated ends in the same way', () => {
  test.each<[string, readonly Decision[]]>([
    ['after an error, by the default', []],
    ['after an error, by an answer', [answerWith(3, 'override')]],
    [
      'after an error, with guidance',
      [answerWith(3, 'guidance', { kind: 'respond', text: 'Go.' })],
    ],
  ])('%s', async (_name, decisions) => {
    const failing = createLoop(
      (iteration) => {
        if (iteration <= 3) throw new Error('in a.ts')
      },
      { until: [{ type: 'max-iterations', iterations: 5 }] },
    )
    const parts = { escalation: always }
    const world = createWorld(parts)
    const id = await run({ world, loop: failing }, decisions)
    const events = await world.events(id)
    const expected = await world.state(id)
    expect(await asked(world, id)).toHaveLength(1)
    for (const count of moments(events)) {
      const later = await worldAfter(events, count, { ...parts, blobs: world.blobs })
      await later.finish(id, failing)
      const state = await later.state(id)
      expect(state.outcome && describeOutcome(state.outcome)).toBe(
        expected.outcome && describeOutcome(expected.outcome),
      )
      expect(state.progress).toEqual(expected.progress)
      const applied = (await later.only(id, 'decision-applied')).map(
        ({ decision }) => decision.type,
      )
      expect(applied.filter((type) => type === 'answer')).toHaveLength(1)
    }
  })
})
