/**
 * Whether the checks would have noticed. Code under test runs in the process of its tests and can make any
 * of them pass: end the process on import, change the assertion library, print what the runner prints. So
 * defects are planted where they must be noticed, and a certificate rests on checks that did.
 *
 * Three places, each of which has to be noticed once:
 * 1. `changed`: code that the candidate changed. Weak tests show here.
 * 2. `tests`: an expectation that cannot be met, in the tests that were there before (`hear-tests.ts`). A
 *    cheat shows here, however much tested code stands beside it.
 * 3. `old`: code that was there before; only where no check runs a test file that can hold a
 *    planted failure.
 *
 * It raises the price of a cheat and proves nothing: code that recognises its own files as they were
 * delivered can behave when they are others. Seals, base tests and counts stand beside it.
 */

import { type ChosenFile, chooseDefects } from './choose-defects.ts'
import { type Answer, hearTests, type TestFile } from './hear-tests.ts'
import type { Overlay } from './parts.ts'
import type { Defect, Planter, SourceText } from './planter.ts'
import { wrongExpectationsIn } from './wrong-expectations.ts'

export type TeethPlace = 'changed' | 'tests' | 'old'

/** A check that was met and is not any more has noticed; one that cannot say is no answer. */
export type Notice = 'noticed' | 'not-noticed' | 'unknown'

export interface TeethRequest {
  /** Source files that the candidate changed, as it has them. */
  readonly changed: readonly ChosenFile[]
  /** Test files, those that speak of the changed files first. */
  readonly tests: readonly TestFile[]
  /** Source files that it did not change. */
  readonly old: readonly SourceText[]
  readonly planter: Planter
  /** In [0, 1). */
  readonly random: () => number
  /** All checks on the candidate, or on the base, with this put over it. */
  readonly runChecks: (overlay: Overlay, on: 'tree' | 'base') => Promise<Answer>
  /** How many defects in code at most: 5 unless told. */
  readonly max?: number
}

export interface TriedDefect {
  readonly place: TeethPlace
  readonly file: string
  readonly line: number
  readonly description: string
  readonly noticed: boolean
}

export type Teeth =
  | { readonly type: 'not-tried'; readonly why: string }
  | {
      readonly type: 'tried'
      readonly planted: number
      readonly noticed: number
      readonly tried: readonly TriedDefect[]
      /** Where nothing was noticed; empty: the checks have teeth. */
      readonly toothless: readonly TeethPlace[]
    }

const triesMax = 5

interface Spot {
  readonly place: TeethPlace
  readonly defects: Iterator<Defect, void, undefined>
  state: 'open' | 'noticed' | 'spent'
  isPlanted: boolean
  /** Checks could say something about it at least once. */
  isHeard: boolean
}

export async function tryTeeth(request: TeethRequest): Promise<Teeth> {
  const { tests, old, planter, random, max = triesMax } = request
  const changed = request.changed.filter(({ isSealed = false }) => !isSealed)
  const untouched = changed.flatMap((file) => (file.lines === undefined ? [] : [without(file)]))
  const oldSpot = (): Spot =>
    openSpot('old', chooseDefects([...untouched, ...old], planter, random))
  const canPlantInTests = tests.some((file) => wrongExpectationsIn(file).length > 0)
  const spots = [openSpot('changed', spokenOfFirst(changed, planter, random))]
  if (!canPlantInTests && changed.length > 0) spots.push(oldSpot())
  const tried = [...(await plantIn(spots, request, max))]
  const heard = await hearTests({ ...request, run: request.runChecks })
  tried.push(...heard.tried)
  if (tried.length === 0 && canPlantInTests && changed.length > 0) {
    // No check runs these tests, so only a defect in the code can show whether the checks notice one.
    spots.push(oldSpot())
    tried.push(...(await plantIn(spots.slice(-1), request, max)))
  }
  const isAsked = spots.some(({ isPlanted }) => isPlanted)
  if (tried.length === 0) return { type: 'not-tried', why: whyNot(request, isAsked) }
  const deaf = spots.filter(({ state, isHeard }) => state !== 'noticed' && isHeard)
  const places = deaf.map(({ place }) => place)
  return {
    type: 'tried',
    planted: tried.length,
    noticed: tried.filter(({ noticed }) => noticed).length,
    tried,
    toothless: heard.isDeaf ? [...places, 'tests'] : places,
  }
}

const openSpot = (place: TeethPlace, defects: Iterator<Defect, void, undefined>): Spot => ({
  place,
  defects,
  state: 'open',
  isPlanted: false,
  isHeard: false,
})

/** In turns: each spot gets one defect before any gets another. */
async function plantIn(
  spots: readonly Spot[],
  { changed, old, runChecks }: TeethRequest,
  max: number,
): Promise<readonly TriedDefect[]> {
  const kinds = new Map([...changed, ...old].map(({ path, kind }) => [path, kind]))
  const tried: TriedDefect[] = []
  let left = max
  for (let isOpen = true; isOpen && left > 0; ) {
    isOpen = false
    for (const spot of spots.filter(({ state }) => state === 'open')) {
      if (left <= 0) break
      const defect = spot.defects.next().value
      if (defect === undefined) {
        spot.state = 'spent'
        continue
      }
      isOpen = true
      spot.isPlanted = true
      left--
      const over = overlayOf(defect, kinds.get(defect.file))
      const { notice } = await runChecks(over, 'tree')
      if (notice === 'unknown') continue
      spot.isHeard = true
      if (notice === 'noticed') spot.state = 'noticed'
      const { file, line, description } = defect
      tried.push({ place: spot.place, file, line, description, noticed: notice === 'noticed' })
    }
  }
  return tried
}

/** Where a test is most likely to notice: what nobody tests stands beside what somebody does. */
function* spokenOfFirst(
  changed: readonly ChosenFile[],
  planter: Planter,
  random: () => number,
): Generator<Defect, void, undefined> {
  const isFirst = ({ isSpokenOf }: ChosenFile): boolean => isSpokenOf === true
  yield* chooseDefects(changed.filter(isFirst), planter, random)
  yield* chooseDefects(
    changed.filter((file) => !isFirst(file)),
    planter,
    random,
  )
}

function without(file: ChosenFile): ChosenFile {
  const all = file.text.split('\n').map((_, index) => index + 1)
  return { ...file, lines: new Set(all.filter((line) => file.lines?.has(line) !== true)) }
}

const encoder = new TextEncoder()

/** The file with the defect in it, to be put over its tree. */
export function overlayOf({ file, text }: Defect, kind: SourceText['kind'] = 'file'): Overlay {
  return new Map([[file, { content: encoder.encode(text), kind }]])
}

function whyNot({ changed }: TeethRequest, isAsked: boolean): string {
  if (isAsked) return 'The checks gave no answer on what was planted.'
  if (changed.length === 0) return 'No source file was changed.'
  const kinds = [...new Set(changed.map(({ path }) => /\.\w+$/.exec(path)?.[0] ?? path))]
  return `Nothing can be planted in what was changed (${kinds.slice(0, 5).join(', ')}).`
}

/** For people: what nobody noticed. */
export const unnoticedOf = (teeth: Teeth): readonly TriedDefect[] =>
  teeth.type === 'tried' ? teeth.tried.filter(({ noticed }) => !noticed) : []
