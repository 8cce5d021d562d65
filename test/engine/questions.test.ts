import { describe, expect, test } from 'vitest'
import { driveRun } from '../../src/engine/drive-run.ts'
import { openQuestions, rewindRun } from '../../src/engine/index.ts'
import { findAnswerProblem, type Question } from '../../src/loop/index.ts'
import { createWorld, loopOf, type World } from './fixture.ts'

const deploy: Question = {
  text: 'Deploy?',
  options: ['yes', 'no'],
  default: 'no',
  deadlineMs: 60_000,
}

const asking = (question = deploy) =>
  loopOf<unknown>(async (_context, it) => it.ask('deploy', question))

type Run = Awaited<ReturnType<World['start']>>

/** Answers the first open question. */
async function answer(world: World, run: Run, text: string, by?: string): Promise<void> {
  const [asked] = await openQuestions(world.journal, run)
  await world.decide(run, { type: 'answer', question: asked?.id ?? 'none', answer: text }, by)
}

describe('a question', () => {
  test('waits for a person, whose answer the loop gets', async () => {
    const world = createWorld()
    const loop = asking()
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await world.clock.settle()
    const askedAtMs = world.clock.now()
    expect((await world.journal.findRun(run)).status).toBe('waiting')
    expect(await openQuestions(world.journal, run)).toEqual([
      { id: '1/ask:deploy#1', question: deploy, askedAtMs, deadlineAtMs: askedAtMs + 60_000 },
    ])
    await answer(world, run, 'yes')
    await world.clock.pass(driving)
    expect((await world.state(run)).progress).toEqual({ answer: 'yes', by: 'person', who: 'ada' })
    expect(await openQuestions(world.journal, run)).toEqual([])
  })

  test('E9: is answered by its default at its deadline', async () => {
    const world = createWorld()
    const loop = asking()
    const run = await world.start(loop)
    const began = world.clock.now()
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toEqual({ answer: 'no', by: 'default' })
    expect(world.clock.now() - began).toBe(60_000)
  })

  test('uses an answer from before it was asked if the run may not wait', async () => {
    const world = createWorld({ waitMsMax: 0 })
    const loop = asking()
    const run = await world.start(loop)
    const early = { type: 'answer', question: '1/ask:deploy#1', answer: 'yes' } as const
    await world.decide(run, early)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toEqual({ answer: 'yes', by: 'person', who: 'ada' })
  })

  test('E9: has a default deadline of 24 hours', async () => {
    const world = createWorld()
    const { deadlineMs: _none, ...question } = deploy
    const loop = asking(question)
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await world.clock.settle()
    const [asked] = await openQuestions(world.journal, run)
    expect((asked?.deadlineAtMs ?? 0) - world.clock.now()).toBe(24 * 3_600_000)
    await world.decide(run, { type: 'cancel', reason: '' })
    await world.clock.pass(driving)
  })

  test('E11: is answered once: a second answer is refused, before and after the first is applied', async () => {
    const world = createWorld()
    const loop = asking()
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await world.clock.settle()
    const twice = { type: 'answer', question: '1/ask:deploy#1', answer: 'no' } as const
    await answer(world, run, 'yes')
    await expect(world.decide(run, twice, 'bob')).rejects.toMatchObject({
      code: 'already-answered',
    })
    await world.clock.settle()
    const applied = await world.only(run, 'decision-applied')
    expect(applied.map(({ by }) => by)).toEqual(['ada'])
    await world.clock.pass(driving)
    expect((await world.state(run)).progress).toMatchObject({ answer: 'yes', who: 'ada' })
  })

  test('E11: if an answer and the deadline come at the same moment, one of them wins', async () => {
    for (const first of ['person', 'deadline']) {
      const world = createWorld()
      const loop = asking()
      const run = await world.start(loop)
      const driving = world.drive(run, loop)
      await world.clock.settle()
      const late = { type: 'answer', question: '1/ask:deploy#1', answer: 'yes' } as const
      if (first === 'person') {
        const deciding = world.decide(run, late)
        await Promise.all([deciding, world.clock.advance(60_000)])
      } else {
        const advancing = world.clock.advance(60_000)
        await advancing
        await world.decide(run, late).catch(() => undefined)
      }
      await world.clock.pass(driving)
      const answers = (await world.only(run, 'decision-applied')).length
      expect(answers).toBe(1)
      const by = first === 'person' ? 'person' : 'default'
      expect((await world.state(run)).progress).toMatchObject({ by })
    }
  })

  test('E11: an answer that was not noticed by the deadline wins over the default', async () => {
    const world = createWorld()
    // As written by another process a moment ago.
    const journal = { ...world.journal, watch: () => () => undefined }
    const loop = asking()
    const run = await world.start(loop)
    const driving = driveRun(run, loop, { ...world.ports, journal }, { owner: 'me' })
    await world.clock.advance(59_000)
    await answer(world, run, 'yes')
    expect(await world.clock.pass(driving)).toMatchObject({ type: 'ended' })
    expect((await world.state(run)).progress).toMatchObject({ answer: 'yes', by: 'person' })
    expect(await world.only(run, 'decision-applied')).toHaveLength(1)
  })

  test('is answered while no process drives the run, and the answer is there on resume', async () => {
    const world = createWorld()
    const loop = asking()
    const stop = new AbortController()
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal })
    await world.clock.settle()
    stop.abort()
    await world.clock.pass(driving)
    await answer(world, run, 'yes')
    expect(await openQuestions(world.journal, run)).toEqual([])
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toMatchObject({ answer: 'yes' })
  })

  test('keeps its deadline when the run is resumed, and uses its default if that has passed', async () => {
    const world = createWorld()
    const loop = asking()
    const stop = new AbortController()
    const run = await world.start(loop)
    const began = world.clock.now()
    const driving = world.drive(run, loop, { signal: stop.signal })
    await world.clock.advance(20_000)
    stop.abort()
    await world.clock.pass(driving)
    await world.finish(run, loop)
    expect(world.clock.now() - began).toBe(60_000)
    expect((await world.state(run)).progress).toMatchObject({ by: 'default' })
  })

  test('accepts only one of its options', () => {
    expect(findAnswerProblem(deploy, 'perhaps')).toContain('choose one of: yes, no')
    expect(findAnswerProblem(deploy, 'yes')).toBeUndefined()
  })

  test('that cannot be asked fails the run', async () => {
    const world = createWorld()
    const loop = asking({ ...deploy, default: 'perhaps' })
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'failed', fault: { code: 'bad-request' } },
    })
  })

  test('of two branches is answered separately', async () => {
    const world = createWorld()
    const loop = loopOf<unknown>(async (_context, it) =>
      it.parallel({
        a: (branch) => branch.ask('q', deploy),
        b: (branch) => branch.ask('q', deploy),
      }),
    )
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await world.clock.settle()
    const ids = (await openQuestions(world.journal, run)).map(({ id }) => id)
    expect(ids).toEqual(['1/0.a/ask:q#1', '1/0.b/ask:q#1'])
    await world.decide(run, { type: 'answer', question: '1/0.b/ask:q#1', answer: 'yes' })
    await world.clock.pass(driving)
    expect((await world.state(run)).progress).toMatchObject({
      a: { answer: 'no', by: 'default' },
      b: { answer: 'yes', by: 'person' },
    })
  })
})

const twice = (version: string) =>
  loopOf<unknown>(
    async (_context, it) => {
      const answered = await it.ask('deploy', deploy)
      await it.sleep('nap', 10_000)
      return answered
    },
    { version, until: [{ type: 'max-iterations', iterations: 2 }] },
  )

describe('E9: a question that is asked again can be answered again', () => {
  test('after its iteration was restarted', async () => {
    const world = createWorld()
    const stop = new AbortController()
    const run = await world.start(twice('1'))
    const driving = world.drive(run, twice('1'), { signal: stop.signal })
    await world.clock.settle()
    await answer(world, run, 'yes')
    await world.clock.settle()
    stop.abort()
    await world.clock.pass(driving)
    const again = world.drive(run, twice('2'), { force: true })
    await world.clock.settle()
    expect(await openQuestions(world.journal, run)).toHaveLength(1)
    await answer(world, run, 'no', 'bob')
    await world.clock.pass(again)
    const [first] = await world.only(run, 'iteration-ended').then((ends) => ends.slice(-2))
    expect(first?.progress).toEqual({ set: { answer: 'no', by: 'person', who: 'bob' } })
  })

  test('after the run was rewound', async () => {
    const world = createWorld()
    const stop = new AbortController()
    const loop = twice('1')
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal })
    await world.clock.settle()
    await answer(world, run, 'yes')
    await world.clock.advance(10_000)
    stop.abort()
    await world.clock.pass(driving)
    await rewindRun(run, 0, world.ports, 'me')
    await world.finish(run, loop)
    const state = await world.state(run)
    expect(state).toMatchObject({ iteration: 2, progress: { answer: 'no', by: 'default' } })
  })
})
