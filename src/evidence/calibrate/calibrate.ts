/**
 * Measures checks: runs them on work that is known to be good and on work that is known to be bad.
 *
 * 1. Correct changes and defects alternate, so that a limit that ends it early leaves some of both.
 * 2. Unknown answers are not counted.
 * 3. Nothing is measured if the tree itself does not pass: its checks would reject everything.
 */

import { type CheckKind, defined, type ErrorRates, type TreeId } from '../../loop/index.ts'
import type { Overlay } from '../parts.ts'
import { wilson } from '../wilson.ts'
import type { CalibrationLimit, CalibrationReport, FalseReject, Survivor } from './calibration.ts'

export interface CalibratedCheck {
  readonly name: string
  readonly kind: CheckKind
  readonly digest: string
}

/** Anything but met rejects, also a timeout. A judge that cannot be asked is `unknown`. */
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
  readonly checks: readonly CalibratedCheck[]
  /** Runs all checks, in order, on the tree with this overlay. */
  readonly ask: (overlay: Overlay) => Promise<ReadonlyMap<string, CheckAnswer>>
  /** Harmless changes, in addition to the tree itself, which is run `repeats` times. */
  readonly harmless: readonly GoodWork[]
  readonly defects: Iterator<BadWork, void, undefined>
  readonly defectsMax: number
  /** How often the tree itself is run. Default: 3. */
  readonly repeats?: number
  /** Called before each round. */
  readonly isOver: () => Exclude<CalibrationLimit, 'defects'> | undefined
  readonly now: () => number
  readonly spent: () => number
  /** Also called before the first round. */
  readonly onRound?: (done: number, of: number) => void
}

export type CalibrationOutcome =
  | { readonly type: 'calibrated'; readonly report: CalibrationReport }
  /** The tree itself fails these. */
  | { readonly type: 'not-good'; readonly checks: readonly string[] }
  | { readonly type: 'nothing-to-plant' }

type Work =
  | { readonly side: 'good'; readonly work: GoodWork }
  | { readonly side: 'bad'; readonly work: BadWork }

const repeatsDefault = 3

export async function calibrate(request: CalibrateRequest): Promise<CalibrationOutcome> {
  const { loop, tree, commit, seed, checks, ask, isOver, now, onRound, spent } = request
  const startedAtMs = now()
  const first = request.defects.next().value
  if (first === undefined) return { type: 'nothing-to-plant' }
  const score = createScore(checks)
  const total = listGoodWork(request).length + request.defectsMax
  let done = 0
  let stopped: CalibrationLimit | undefined
  onRound?.(done, total)
  for (const round of alternate(request, first)) {
    // Nothing can be measured before the tree itself was run.
    stopped = done === 0 ? undefined : isOver()
    if (stopped !== undefined) break
    const answers = await ask(round.work.overlay)
    const failing = done === 0 ? findFailing(checks, answers) : []
    if (failing.length > 0) return { type: 'not-good', checks: failing }
    score.count(round, answers)
    done++
    onRound?.(done, total)
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

/** A judge may err on the tree, which is worth knowing; other failing checks would reject everything. */
const findFailing = (
  checks: readonly CalibratedCheck[],
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

function createScore(checks: readonly CalibratedCheck[]): Score {
  const sides = (): Sides => ({
    good: { accepts: 0, rejects: 0 },
    bad: { accepts: 0, rejects: 0 },
  })
  const tallies = checks.map(({ name, kind, digest }) => ({ name, kind, digest, sides: sides() }))
  const together = sides()
  const survivors: Survivor[] = []
  const turnedAway: FalseReject[] = []
  const runs = { good: 0, planted: 0, 'reverted-fix': 0 }
  return {
    count({ side, work }, answers) {
      for (const { name, sides: own } of tallies) add(own[side], answers.get(name) ?? 'unknown')
      const verdict = combine([...answers.values()])
      add(together[side], verdict)
      if (side === 'bad') {
        const { overlay: _, ...survivor } = work
        runs[survivor.source]++
        if (verdict === 'accepts') survivors.push(survivor)
        return
      }
      runs.good++
      const by = [...answers].filter(([, answer]) => answer === 'rejects').map(([name]) => name)
      if (by.length > 0) turnedAway.push({ what: work.what, checks: by })
    },
    counted: () => ({
      checks: tallies.map(({ name, kind, digest, sides: own }) => ({
        check: name,
        kind,
        digest,
        ...toErrorRates(own),
      })),
      together: toErrorRates(together),
      survivors,
      turnedAway,
      planted: runs.planted,
      revertedFixes: runs['reverted-fix'],
      good: runs.good,
    }),
  }
}

function add(tally: Tally, answer: CheckAnswer): void {
  if (answer !== 'unknown') tally[answer]++
}

const toErrorRates = ({ good, bad }: Sides): ErrorRates => ({
  falseAccepts: wilson(bad.accepts, bad.accepts + bad.rejects),
  falseRejects: wilson(good.rejects, good.accepts + good.rejects),
})

/** One rejection is enough; acceptance needs every answer. */
function combine(answers: readonly CheckAnswer[]): CheckAnswer {
  if (answers.includes('rejects')) return 'rejects'
  return answers.length === 0 || answers.includes('unknown') ? 'unknown' : 'accepts'
}

function listGoodWork({
  harmless,
  repeats = repeatsDefault,
}: CalibrateRequest): readonly GoodWork[] {
  const unchanged: GoodWork = { what: 'the tree as it is', overlay: new Map() }
  return [...Array.from({ length: repeats }, () => unchanged), ...harmless]
}

/** The tree itself first; then good and bad work, in proportion to their numbers. */
function* alternate(request: CalibrateRequest, first: BadWork): Generator<Work, void, undefined> {
  const [tree, ...good] = listGoodWork(request)
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
  for (const rest of good) yield { side: 'good', work: rest }
}
