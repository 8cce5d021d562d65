/**
 * Measures checks: what is known to be good is shown to them, and what is known to be bad.
 *
 * 1. Good work and defects take turns, so that a limit met early leaves some of both.
 * 2. An answer that is none counts for nobody.
 * 3. Nothing is measured where the tree itself does not pass: its checks reject everything.
 */

import { type CheckKind, defined, type ErrorRates, type TreeId } from '../../loop/index.ts'
import type { Overlay } from '../parts.ts'
import { wilson } from '../wilson.ts'
import type { CalibrationReport, Stopped, Survivor, TurnedAway } from './calibration.ts'

export interface AskedCheck {
  readonly name: string
  readonly kind: CheckKind
  readonly digest: string
}

/** Whatever is not met is turned away, also by a time-out; a judge that cannot be asked says nothing. */
export type CheckAnswer = 'accepts' | 'rejects' | 'unknown'

export interface GoodWork {
  readonly what: string
  readonly overlay: Overlay
}

export interface BadWork extends Survivor {
  readonly overlay: Overlay
}

export interface CalibrateRequest {
  readonly loop: string
  readonly tree: TreeId
  readonly commit?: string
  readonly seed: number
  readonly checks: readonly AskedCheck[]
  /** All checks, in their order, on the tree with this put over it. */
  readonly ask: (overlay: Overlay) => Promise<ReadonlyMap<string, CheckAnswer>>
  /** Changes that do no harm; the tree itself comes on top, `repeats` times. */
  readonly harmless: readonly GoodWork[]
  readonly defects: Iterator<BadWork, void, undefined>
  readonly defectsMax: number
  /** How often the tree itself is shown: 3 unless told. */
  readonly repeats?: number
  /** Asked before each round. */
  readonly isOver: () => Exclude<Stopped, 'defects'> | undefined
  readonly now: () => number
  readonly spent: () => number
  /** Also before the first. */
  readonly onRound?: (done: number, of: number) => void
}

export type Calibrated =
  | { readonly type: 'calibrated'; readonly report: CalibrationReport }
  /** The tree itself does not pass these. */
  | { readonly type: 'not-good'; readonly checks: readonly string[] }
  | { readonly type: 'nothing-to-plant' }

type Work =
  | { readonly side: 'good'; readonly work: GoodWork }
  | { readonly side: 'bad'; readonly work: BadWork }

const repeatsDefault = 3

export async function calibrate(request: CalibrateRequest): Promise<Calibrated> {
  const { loop, tree, commit, seed, checks, ask, isOver, now, onRound, spent } = request
  const startedAtMs = now()
  const first = request.defects.next().value
  if (first === undefined) return { type: 'nothing-to-plant' }
  const score = createScore(checks)
  const of = goodWork(request).length + request.defectsMax
  let done = 0
  let stopped: Stopped | undefined
  onRound?.(done, of)
  for (const one of inTurns(request, first)) {
    // Nothing can be said before the tree itself was shown.
    stopped = done === 0 ? undefined : isOver()
    if (stopped !== undefined) break
    const answers = await ask(one.work.overlay)
    const failing = done === 0 ? failingOf(checks, answers) : []
    if (failing.length > 0) return { type: 'not-good', checks: failing }
    score.count(one, answers)
    done++
    onRound?.(done, of)
  }
  const counted = score.counted()
  const bad = counted.planted + counted.revertedFixes
  if (stopped === undefined && bad < request.defectsMax) stopped = 'defects'
  const report: CalibrationReport = {
    loop,
    tree,
    ...defined({ commit }),
    seed,
    atMs: startedAtMs,
    durationMs: now() - startedAtMs,
    ...counted,
    ...defined({ stopped }),
    costMicros: spent(),
  }
  return { type: 'calibrated', report }
}

/** A judge may err on it, which is worth knowing; others that fail would reject everything. */
const failingOf = (
  checks: readonly AskedCheck[],
  answers: ReadonlyMap<string, CheckAnswer>,
): readonly string[] =>
  checks
    .filter(({ name, kind }) => kind !== 'judge' && answers.get(name) !== 'accepts')
    .map(({ name }) => name)

interface Tally {
  accepts: number
  rejects: number
}

interface Sides {
  readonly good: Tally
  readonly bad: Tally
}

type Counted = Pick<
  CalibrationReport,
  'checks' | 'together' | 'survivors' | 'turnedAway' | 'planted' | 'revertedFixes' | 'good'
>

interface Score {
  count(work: Work, answers: ReadonlyMap<string, CheckAnswer>): void
  counted(): Counted
}

function createScore(checks: readonly AskedCheck[]): Score {
  const sides = (): Sides => ({
    good: { accepts: 0, rejects: 0 },
    bad: { accepts: 0, rejects: 0 },
  })
  const tallies = checks.map(({ name, kind, digest }) => ({ name, kind, digest, sides: sides() }))
  const together = sides()
  const survivors: Survivor[] = []
  const turnedAway: TurnedAway[] = []
  const shown = { good: 0, planted: 0, 'reverted-fix': 0 }
  return {
    count(one, answers) {
      for (const { name, sides: own } of tallies) add(own[one.side], answers.get(name) ?? 'unknown')
      const verdict = verdictOf([...answers.values()])
      add(together[one.side], verdict)
      if (one.side === 'bad') {
        const { overlay: _, ...survivor } = one.work
        shown[survivor.source]++
        if (verdict === 'accepts') survivors.push(survivor)
        return
      }
      shown.good++
      const by = [...answers].filter(([, answer]) => answer === 'rejects').map(([name]) => name)
      if (by.length > 0) turnedAway.push({ what: one.work.what, checks: by })
    },
    counted: () => ({
      checks: tallies.map(({ name, kind, digest, sides: own }) => ({
        check: name,
        kind,
        digest,
        ...ratesOf(own),
      })),
      together: ratesOf(together),
      survivors,
      turnedAway,
      planted: shown.planted,
      revertedFixes: shown['reverted-fix'],
      good: shown.good,
    }),
  }
}

function add(tally: Tally, answer: CheckAnswer): void {
  if (answer !== 'unknown') tally[answer]++
}

const ratesOf = ({ good, bad }: Sides): ErrorRates => ({
  falseAccepts: wilson(bad.accepts, bad.accepts + bad.rejects),
  falseRejects: wilson(good.rejects, good.accepts + good.rejects),
})

/** One that turns it away is enough; it passes only when nobody is missing. */
function verdictOf(answers: readonly CheckAnswer[]): CheckAnswer {
  if (answers.includes('rejects')) return 'rejects'
  return answers.length === 0 || answers.includes('unknown') ? 'unknown' : 'accepts'
}

function goodWork({ harmless, repeats = repeatsDefault }: CalibrateRequest): readonly GoodWork[] {
  const asItIs: GoodWork = { what: 'the tree as it is', overlay: new Map() }
  return [...Array.from({ length: repeats }, () => asItIs), ...harmless]
}

/** The tree itself first; then good and bad, each as often as there is of it. */
function* inTurns(request: CalibrateRequest, first: BadWork): Generator<Work, void, undefined> {
  const [tree, ...good] = goodWork(request)
  if (tree !== undefined) yield { side: 'good', work: tree }
  const every = Math.max(1, Math.floor(request.defectsMax / (good.length + 1)))
  let bad: BadWork | undefined = first
  for (let number = 1; number <= request.defectsMax && bad !== undefined; number++) {
    yield { side: 'bad', work: bad }
    if (number % every === 0) {
      const next = good.shift()
      if (next !== undefined) yield { side: 'good', work: next }
    }
    bad = number < request.defectsMax ? (request.defects.next().value ?? undefined) : undefined
  }
  for (const left of good) yield { side: 'good', work: left }
}
