/**
 * Whether tests are heard: an expectation that cannot be met is planted in every file of tests that was
 * there before, in all of them at once. Where the runner counts as many failures as there are files, all of
 * them were heard; else they are parted until those that were not are found.
 *
 * 1. What the work brings with it never takes the place of what was there.
 * 2. Each kind of expectation counts for itself: a library may be changed in one function only.
 * 3. A file that was not heard on the base either, and in which nothing failed there, is no part of what the
 *    checks run, or does not come to this expectation. All others have to be heard.
 */

import type { Overlay } from './parts.ts'
import type { Defect, SourceText } from './planter.ts'
import type { Notice, TriedDefect } from './teeth.ts'
import { wrongExpectationsIn } from './wrong-expectations.ts'

export interface TestFile extends SourceText {
  /** Where the base has it; absent: it is new. */
  readonly was?: string
}

/** What the checks said. */
export interface Answer {
  readonly notice: Notice
  /** Failures that the runner counts. */
  readonly failed?: number
  /** Of what it printed, where it counts nothing. */
  readonly signature?: string
}

export interface HearRequest {
  readonly tests: readonly TestFile[]
  readonly random: () => number
  /** The checks on the work, or on the base, with this put over it. */
  readonly run: (over: Overlay, on: 'tree' | 'base') => Promise<Answer>
}

export interface HeardTests {
  readonly tried: readonly TriedDefect[]
  /** Some file should have been heard and was not. */
  readonly isDeaf: boolean
}

/** Of what was there before all, and of new tests some where there is nothing else. */
const oldMax = 40
const newMax = 2
const roundsMax = 2
/** So often the checks are run on the work. */
const runsMax = 14
/** Where the runner counts nothing, each file has to be asked alone. */
const aloneMax = 4
const triesAloneMax = 3

interface Planted {
  readonly test: TestFile
  readonly defect: Defect
  /** In the same file and of the same kind. */
  readonly others: readonly Defect[]
}

interface Hearing {
  readonly request: HearRequest
  readonly tried: TriedDefect[]
  left: number
}

export async function hearTests(request: HearRequest): Promise<HeardTests> {
  const hearing: Hearing = { request, tried: [], left: runsMax }
  for (const round of roundsOf(request)) {
    if (await isDeafTo(hearing, round)) return { tried: hearing.tried, isDeaf: true }
  }
  return { tried: hearing.tried, isDeaf: false }
}

/** One expectation of each file, then one of another kind. */
function roundsOf({ tests, random }: HearRequest): readonly (readonly Planted[])[] {
  const speaking = tests.flatMap((test) => {
    const kinds = kindsIn(test, random)
    return kinds.length === 0 ? [] : [{ test, kinds }]
  })
  const old = speaking.filter(({ test }) => test.was !== undefined).slice(0, oldMax)
  const chosen = old.length > 0 ? old : speaking.slice(0, newMax)
  return Array.from({ length: roundsMax }, (_, round) =>
    chosen.flatMap(({ test, kinds }): Planted[] => {
      const [defect, ...others] = kinds[round] ?? []
      return defect === undefined ? [] : [{ test, defect, others }]
    }),
  )
}

/** The last of each kind first: whatever ends a file of tests early ends it before that one. */
function kindsIn(test: TestFile, random: () => number): readonly (readonly Defect[])[] {
  const kinds = new Map<string, Defect[]>()
  for (const defect of wrongExpectationsIn(test).toReversed()) {
    const known = kinds.get(defect.operator)
    if (known === undefined) kinds.set(defect.operator, [defect])
    else known.splice(1 + Math.floor(random() * known.length), 0, defect)
  }
  return [...kinds.values()]
}

/** In parts, until every file was heard or one is found that should have been. */
async function isDeafTo(hearing: Hearing, all: readonly Planted[]): Promise<boolean> {
  const queue = all.length === 0 ? [] : [all]
  for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
    if (hearing.left-- <= 0) return false
    const { notice, failed } = await hearing.request.run(overlayOf(part), 'tree')
    const isHeard = notice === 'noticed' && (part.length === 1 || (failed ?? 0) >= part.length)
    if (isHeard || notice === 'unknown') {
      if (isHeard) hearing.tried.push(...part.map((planted) => triedOf(planted, true)))
      // One that fails several times over can stand for another.
      if (isHeard && part.length > 1 && (failed ?? 0) > part.length) queue.push(...alone(part))
      continue
    }
    if (notice === 'noticed') {
      queue.unshift(...(failed === undefined ? alone(part) : halves(part)))
      continue
    }
    const unheard = part.length > 1 ? part : await stillUnheard(hearing, part)
    if (unheard.length === 0 || (await isExcused(hearing.request, unheard))) continue
    hearing.tried.push(...unheard.map((planted) => triedOf(planted, false)))
    return true
  }
  return false
}

const alone = (part: readonly Planted[]): readonly (readonly Planted[])[] =>
  part.slice(0, aloneMax).map((planted) => [planted])

function halves(part: readonly Planted[]): readonly (readonly Planted[])[] {
  const middle = Math.ceil(part.length / 2)
  return [part.slice(0, middle), part.slice(middle)]
}

/** An expectation may stand where nothing comes by: others of its kind are tried. */
async function stillUnheard(
  hearing: Hearing,
  [planted]: readonly Planted[],
): Promise<readonly Planted[]> {
  if (planted === undefined) return []
  for (const defect of planted.others.slice(0, triesAloneMax - 1)) {
    if (hearing.left-- <= 0) break
    const again = { ...planted, defect }
    const { notice } = await hearing.request.run(overlayOf([again]), 'tree')
    if (notice !== 'noticed') continue
    hearing.tried.push(triedOf(again, true))
    return []
  }
  return [planted]
}

async function isExcused({ run }: HearRequest, part: readonly Planted[]): Promise<boolean> {
  if (part.some(({ test }) => test.was === undefined)) return false
  const base = await run(new Map(), 'base')
  const isSaid = base.failed !== undefined || base.signature !== undefined
  if (base.notice === 'noticed' && !isSaid) return false
  const isSame = ({ notice, failed, signature }: Answer): boolean =>
    notice === base.notice && failed === base.failed && signature === base.signature
  const there = part.map(({ test, defect }) => ({
    test: { ...test, path: test.was ?? test.path },
    defect,
  }))
  const without: Overlay = new Map(there.map(({ test }) => [test.path, null]))
  return isSame(await run(overlayOf(there), 'base')) && isSame(await run(without, 'base'))
}

const encoder = new TextEncoder()

const overlayOf = (part: readonly Pick<Planted, 'test' | 'defect'>[]): Overlay =>
  new Map(
    part.map(({ test: { path, kind = 'file' }, defect }) => [
      path,
      { content: encoder.encode(defect.text), kind },
    ]),
  )

const triedOf = ({ defect }: Planted, noticed: boolean): TriedDefect => ({
  place: 'tests',
  file: defect.file,
  line: defect.line,
  description: defect.description,
  noticed,
})
