// The invariants of the protocol: each is broken on purpose in what a phase returns, and found.

import { beforeAll, describe, expect, test } from 'vitest'
import { checkPassage, findPassageProblem } from '../../../src/loops/tune/check-passage.ts'
import type { LogEntry } from '../../../src/loops/tune/report/log-entry.ts'
import type { Shown } from '../../../src/loops/tune/shown.ts'
import type { TuneLoop } from '../../../src/loops/tune/tune-loop.ts'
import type { TuneState } from '../../../src/loops/tune/tune-state.ts'
import { tunePhases } from '../../../src/protocol/tune/tune-view.ts'
import { createTuneStory, easy } from './fixture.ts'

type Iterating = Extract<TuneState, { phase: 'iteration' }>

/** The states of a real loop, by phase, and its log. */
const states: TuneState[] = []
let log: readonly LogEntry[] = []

beforeAll(async () => {
  const { world, loop, input } = await createTuneStory(easy).story
  const run = await world.start(loop, { input: input as never })
  const watched: TuneLoop = {
    ...loop,
    iterate(context, it) {
      states.push(context.state)
      return loop.iterate(context, it)
    },
  }
  await world.finish(run, watched)
  const last = (await world.state(run)).progress as unknown as TuneState
  states.push(last)
  log = last.log
})

const stateOf = <Phase extends TuneState['phase']>(phase: Phase) => {
  const found = states.findLast((state) => state.phase === phase)
  if (found === undefined) throw new Error(phase)
  return found as Extract<TuneState, { phase: Phase }>
}

const entriesOf = (iteration: number): readonly LogEntry[] =>
  log.filter((entry) => 'iteration' in entry && entry.iteration === iteration)

const shownBy = (more: Partial<Shown> = {}): Shown => ({
  entries: [],
  proofs: [],
  gates: [],
  ...more,
})

/** The trip that measured an edit: from its state to the synthesis. */
function trip(): { before: Iterating; after: TuneState & { phase: 'synthesis' }; shown: Shown } {
  const before = stateOf('iteration')
  const after = stateOf('synthesis')
  const { iteration } = after.trail.at(-1) ?? { iteration: 0 }
  return { before, after, shown: shownBy({ entries: entriesOf(iteration), proofs: ['iteration'] }) }
}

test('a loop that keeps the protocol has no problem', () => {
  const { before, after, shown } = trip()
  expect(before.candidates).toHaveLength(3)
  expect(findPassageProblem(before, after, shown)).toBeUndefined()
})

describe('leaving phases', () => {
  test('every phase needs its proof to go forward', () => {
    const forward = [
      [stateOf('setup'), stateOf('calibration')],
      [stateOf('calibration'), stateOf('baseline')],
      [stateOf('baseline'), { ...stateOf('iteration') }],
      [trip().before, trip().after],
      [stateOf('synthesis'), stateOf('ended')],
    ] as const
    for (const [before, after] of forward) {
      const { entries } = trip().shown
      expect(findPassageProblem(before, after, shownBy({ entries }))).toBe(
        `${before.phase} was left without its proof`,
      )
      const proofs = [before.phase]
      expect(findPassageProblem(before, after, shownBy({ entries, proofs }))).toBeUndefined()
    }
  })

  test('going back needs a person, whatever proof there is', () => {
    const before = stateOf('baseline')
    const after = stateOf('calibration')
    const gate = { from: 'baseline', to: 'calibration', choice: 'back' } as const
    const proofs = [...tunePhases]
    expect(findPassageProblem(before, after, shownBy({ proofs }))).toContain('needs a person')
    const byPolicy = shownBy({ proofs, gates: [{ ...gate, by: 'policy' }] })
    expect(findPassageProblem(before, after, byPolicy)).toContain('needs a person')
    const byPerson = shownBy({ gates: [{ ...gate, by: 'person' }] })
    expect(findPassageProblem(before, after, byPerson)).toBeUndefined()
  })

  test('skipping needs a person and the proof', () => {
    const before = stateOf('baseline')
    const after = { ...stateOf('synthesis'), trail: [] }
    const gate = { from: 'baseline', to: 'synthesis', choice: 'stop', by: 'person' } as const
    const proofs = ['baseline']
    expect(findPassageProblem(before, after, shownBy({ proofs }))).toContain('needs a person')
    expect(findPassageProblem(before, after, shownBy({ gates: [gate] }))).toContain('proof')
    expect(findPassageProblem(before, after, shownBy({ proofs, gates: [gate] }))).toBeUndefined()
  })

  test('a decision about another phase does not count', () => {
    const gate = { from: 'planning', to: 'calibration', choice: 'x', by: 'person' } as const
    const problem = findPassageProblem(
      stateOf('baseline'),
      stateOf('calibration'),
      shownBy({ gates: [gate] }),
    )
    expect(problem).toContain('needs a person')
  })

  test('what breaks the protocol ends the run', () => {
    expect(() => checkPassage(stateOf('baseline'), stateOf('iteration'), shownBy())).toThrow(
      'Nothing of this phase counts',
    )
  })
})

describe('invariants', () => {
  const problemOf = (
    change: (one: ReturnType<typeof trip>) => Partial<ReturnType<typeof trip>>,
  ): string | undefined => {
    const one = trip()
    const { before, after, shown } = { ...one, ...change(one) }
    return findPassageProblem(before, after, shown)
  }
  const without =
    (type: LogEntry['type']) =>
    ({ shown }: ReturnType<typeof trip>) => ({
      shown: { ...shown, entries: shown.entries.filter((entry) => entry.type !== type) },
    })
  const changeRecord =
    (
      change: (record: Iterating['trail'][number]) => object,
    ): ((one: ReturnType<typeof trip>) => object) =>
    ({ after }) => ({
      after: {
        ...after,
        trail: after.trail.map((record, at) =>
          at === after.trail.length - 1 ? { ...record, ...change(record) } : record,
        ),
      },
    })

  test('1. an iteration without a hypothesis, a prediction or an outcome', () => {
    const blank = (field: string) =>
      changeRecord(({ hypothesis }) => ({ hypothesis: { ...hypothesis, [field]: ' ' } }))
    expect(problemOf(blank('statement'))).toContain('no hypothesis')
    expect(problemOf(blank('prediction'))).toContain('no hypothesis')
    expect(
      problemOf(
        changeRecord(({ hypothesis }) => ({ hypothesis: { ...hypothesis, outcome: 'untested' } })),
      ),
    ).toContain('no outcome')
    expect(
      problemOf(({ after, before }) => ({ after: { ...after, trail: before.trail } })),
    ).toContain('no record')
  })

  test('1. a prediction that is logged after the measurement, or not at all', () => {
    expect(problemOf(without('hypothesis'))).toContain('not logged before')
    expect(
      problemOf(({ shown }) => ({ shown: { ...shown, entries: shown.entries.toReversed() } })),
    ).toContain('not logged before')
  })

  test('2. a composer that is asked before the outputs were reviewed', () => {
    const composed: LogEntry = {
      type: 'composer-analysis',
      iteration: 2,
      rootCause: 'x',
      options: [],
    }
    const at = (place: 'before' | 'after') =>
      problemOf(({ shown }) => ({
        shown: {
          ...shown,
          entries: shown.entries.flatMap((entry): readonly LogEntry[] =>
            entry.type !== 'critique'
              ? [entry]
              : place === 'before'
                ? [composed, entry]
                : [entry, composed],
          ),
        },
      }))
    expect(at('before')).toContain('before the outputs of iteration 2 were reviewed')
    expect(at('after')).toBeUndefined()
  })

  test('3. an edit without a mechanism, or that changes nothing', () => {
    const { after } = trip()
    const [measured] = after.trail.at(-1)?.measured?.options ?? []
    if (measured === undefined) throw new Error('nothing was measured')
    const { option } = measured
    const applied = (change: object) =>
      problemOf(({ shown }) => ({
        shown: {
          ...shown,
          entries: [
            ...shown.entries,
            { type: 'edit-applied', iteration: 2, option: { ...option, ...change } },
          ],
        },
      }))
    expect(applied({})).toBeUndefined()
    expect(applied({ mechanism: '  ' })).toContain('without a mechanism')
    expect(applied({ edits: [] })).toContain('without a change')
    const same = option.edits.map((edit) => ({ ...edit, proposed: edit.current }))
    expect(applied({ edits: same })).toContain('without a change')
  })

  test('4. an edit that the next run does not measure, or without fresh critiques', () => {
    const forget = changeRecord(({ measured }) => ({
      measured: { ...measured, options: measured?.options.slice(1) ?? [] },
    }))
    expect(problemOf(forget)).toContain('was not measured by the next run')
    expect(problemOf(without('critique'))).toContain('no critique of what it measured')
    const old = problemOf(({ shown }) => ({
      shown: {
        ...shown,
        entries: shown.entries.map((entry) =>
          entry.type === 'critique' ? { ...entry, iteration: 0 } : entry,
        ),
      },
    }))
    expect(old).toContain('no critique of what it measured')
  })

  test('5. outputs that nothing judges; without expected ones, critiques are enough', async () => {
    const judged = stateOf('calibration')
    expect(judged.workload.manifest.expectedPaths).toBeUndefined()
    const { evaluateCommand: _none, ...manifest } = judged.workload.manifest
    const after = { ...judged, workload: { ...judged.workload, manifest } }
    const shown = shownBy({ proofs: ['setup'] })
    expect(findPassageProblem(stateOf('setup'), after, shown)).toBe('nothing judges the outputs')
    expect(findPassageProblem(stateOf('setup'), judged, shown)).toBeUndefined()
  })

  test('6. a manifest that does not lie with its workload', () => {
    const known = stateOf('calibration')
    const shown = shownBy({ proofs: ['setup'] })
    const moved = (manifestPath: string) =>
      findPassageProblem(
        stateOf('setup'),
        { ...known, workload: { ...known.workload, manifestPath } },
        shown,
      )
    expect(moved('/etc/loop.manifest.json')).toContain('does not lie with its workload')
    expect(moved('../loop.manifest.json')).toContain('does not lie with its workload')
    expect(moved('evals/loop.manifest.json')).toBeUndefined()
    const artifactPaths = ['../prompt.md']
    const manifest = { ...known.workload.manifest, artifactPaths }
    const after = { ...known, workload: { ...known.workload, manifest } }
    expect(findPassageProblem(stateOf('setup'), after, shown)).toContain('../prompt.md')
  })

  test('7. a regression that is not in the log', () => {
    const worse = changeRecord(({ measured }) => ({
      measured: { ...measured, flips: { ...measured?.flips, regressed: ['cases/a'] } },
    }))
    expect(problemOf(worse)).toContain('the regression of cases/a is not in the log')
    expect(problemOf(without('iteration-result'))).toContain('no result in the log')
    const broken = changeRecord(({ measured }) => ({
      measured: { ...measured, broken: ['cases/a'], suspect: ['cases/b'] },
    }))
    expect(problemOf(broken)).toContain('were not decided about')
    const decided = (cases: readonly string[], answer: string) =>
      problemOf((one) => ({
        ...broken(one),
        shown: {
          ...one.shown,
          entries: [
            ...one.shown.entries,
            { type: 'regression-detected', iteration: 2, cases, answer },
          ],
        },
      }))
    const both = ['cases/a (broken)', 'cases/b (suspect)']
    expect(decided(both, ' ')).toContain('were not decided about')
    expect(decided(['cases/a (broken)'], 'accept')).toContain('cases/b is not in the log')
    expect(decided(both, 'accept')).toBeUndefined()
  })

  test('8. a measurement with a manifest that was not calibrated', () => {
    const uncalibrated = 'did not pass the calibration'
    const proofs = [...tunePhases]
    for (const phase of ['baseline', 'iteration', 'synthesis', 'ended'] as const) {
      const state = stateOf(phase)
      const before = stateOf('calibration')
      const shown = shownBy({ proofs })
      expect(findPassageProblem(before, { ...state, passes: [] }, shown)).toContain(uncalibrated)
      const edited = { ...state, manifestDigest: 'other' }
      expect(findPassageProblem(before, edited, shown)).toContain(uncalibrated)
    }
  })
})
