import { describe, expect, test } from 'vitest'
import type { Check } from '../../src/engine/index.ts'
import { type CheckResult, type CheckStatus, describeEvent } from '../../src/loop/index.ts'
import { createWorld, loopOf, memoryWorkspace } from './fixture.ts'

/** A check that gives these answers, repeating the last one, and counts. */
function checkOf(
  answers: readonly CheckStatus[],
  more: Partial<Pick<Check, 'fingerprint' | 'isLive'>>,
) {
  let runs = 0
  const run = async () => {
    const status = answers[Math.min(runs++, answers.length - 1)] ?? 'met'
    if (status === 'error') throw new Error('it broke')
    return { status, output: `answer ${runs}` }
  }
  return { check: Object.assign(run, more) as Check, runs: () => runs }
}

/** Asks twice in the first iteration, once in the second, with these files. */
async function play(
  { check }: ReturnType<typeof checkOf>,
  write: (place: string) => string = () => 'same',
) {
  const workspace = memoryWorkspace({ code: '' })
  const world = createWorld({ workspace, checks: { test: check } })
  const seen: CheckResult[] = []
  const loop = loopOf<null>(
    async (_context, it) => {
      for (const place of it.number === 1 ? ['1a', '1b'] : ['2']) {
        await it.step(`write ${place}`, () => void workspace.files.set('code', write(place)))
        seen.push(...(await it.check()))
      }
      return null
    },
    { until: [{ type: 'max-iterations', iterations: 2 }] },
  )
  const run = await world.start(loop)
  await world.finish(run, loop)
  return { world, run, seen, state: await world.state(run) }
}

describe('a result on the same files', () => {
  test('is reused completely, and nothing is run', async () => {
    const made = checkOf(['not-met', 'met'], { fingerprint: 'f' })
    const { seen, state } = await play(made)
    expect(made.runs()).toBe(1)
    const [first, ...others] = seen
    expect(first).not.toHaveProperty('reused')
    expect(others).toEqual([
      { ...first, reused: true },
      { ...first, reused: true },
    ])
    expect(state.evidence['test']).toMatchObject({ status: 'not-met', iteration: 2, reused: true })
  })

  test('is found again if the files are the same as in an earlier iteration', async () => {
    const made = checkOf(['met'], { fingerprint: 'f' })
    const { seen } = await play(made, (place) => (place === '1a' ? 'other' : 'same'))
    expect(made.runs()).toBe(2)
    expect(seen.map(({ reused }) => reused)).toEqual([undefined, undefined, true])
  })

  test.each<[string, ReturnType<typeof checkOf>]>([
    ['of a check without a fingerprint', checkOf(['met'], {})],
    ['that is an error', checkOf(['error'], { fingerprint: 'f' })],
    ['that is a timeout', checkOf(['timeout'], { fingerprint: 'f' })],
    [
      'of a check that depends on more than files',
      checkOf(['met'], { fingerprint: 'f', isLive: true }),
    ],
    ['that it contradicted', checkOf(['error', 'met', 'not-met'], { isLive: true })],
  ])('%s is not', async (_name, made) => {
    const { seen } = await play(made)
    expect(made.runs()).toBe(3)
    expect(seen.filter(({ reused }) => reused === true)).toEqual([])
  })

  test('on other files is not', async () => {
    const made = checkOf(['met'], { fingerprint: 'f' })
    await play(made, (place) => place)
    expect(made.runs()).toBe(3)
  })
})

describe('two results on the same files', () => {
  test('make the check flaky from then on, which is reported', async () => {
    const made = checkOf(['met', 'not-met', 'met'], {})
    const { world, run, seen, state } = await play(made, (place) => (place === '2' ? 'other' : ''))
    expect(seen.map(({ flaky }) => flaky)).toEqual([undefined, true, true])
    expect(state.evidence['test']).toMatchObject({ status: 'met', flaky: true })
    const finished = await world.only(run, 'step-finished')
    const told = finished.filter(({ evidence }) => evidence !== undefined).map(describeEvent)
    expect(told).toEqual([
      'check:test#1 met',
      'check:test#2 not-met, flaky: different results on the same files',
      'check:test#1 met, flaky: different results on the same files',
    ])
  })

  test.each<[string, ReturnType<typeof checkOf>]>([
    ['an error is not a result', checkOf(['error', 'met', 'met'], {})],
    ['a timeout is not a result', checkOf(['met', 'timeout', 'met'], {})],
    ['the check depends on more than files', checkOf(['met', 'not-met'], { isLive: true })],
  ])('%s', async (_name, made) => {
    const { seen } = await play(made)
    expect(seen.filter(({ flaky }) => flaky === true)).toEqual([])
  })

  test('on other files are two results', async () => {
    const made = checkOf(['met', 'not-met', 'met'], {})
    const { seen } = await play(made, (place) => place)
    expect(seen.filter(({ flaky }) => flaky === true)).toEqual([])
  })
})

test('a check that failed before the run and may fail is recorded as allowed', async () => {
  const red: Check = async () => ({ status: 'not-met', output: '', existing: true, allowed: true })
  const green: Check = async () => ({ status: 'met', output: '' })
  const outcomes: string[] = []
  for (const checks of [{ red, green }, { red }]) {
    const world = createWorld({ workspace: memoryWorkspace(), checks })
    const loop = loopOf<null>(async () => null, {
      until: [{ type: 'checks-pass' }, { type: 'max-iterations', iterations: 1 }],
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    const { outcome, evidence } = await world.state(run)
    expect(evidence['red']).toMatchObject({ status: 'not-met', allowed: true })
    outcomes.push(outcome?.type ?? '')
  }
  // At least one must be met.
  expect(outcomes).toEqual(['completed', 'exhausted'])
})
