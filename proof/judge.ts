/**
 * Compares a record with what really happened and with a run that nobody disturbed.
 *
 * 1. Lost: a result that reached the loop is in the record with the same content; so is a run that
 *    was accepted.
 * 2. Repeated: no code runs for a step that has a result; no attempt runs twice; an action happens
 *    once.
 * 3. Trees: each step began on the tree that its start names; the workspace is what the record says
 *    it is; nothing outside it changed.
 * 4. Integrity: SQLite finds nothing, events have no gaps, all content that the record names is there.
 * 5. Ending: outcome, progress, results and tree are those of the undisturbed run.
 * 6. Budget: what was spent is what the events add up to, with unfinished reservations charged in
 *    full; it is within the limits; nothing was paid for before its reservation was on disk.
 */

import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { RecordedEvent, RunEvent, RunId, RunState } from 'loopwright'
import { type Blobs, type Journal, loadRun } from '#src/engine/index.ts'
import { createBlobStore } from '#src/journal/index.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import { type Effect, hashOf, type Place, placeKey, readEffects } from './effects.ts'
import { spentBy } from './spent.ts'
import { companionRuns, outsideFiles, placesIn, treeOf, victimRun } from './victim-world.ts'
import { withoutSpending } from './without-spending.ts'

export type FindingKind =
  | 'lost'
  | 'repeated'
  | 'tree'
  | 'integrity'
  | 'ending'
  | 'budget'
  /** A process that did not end, or ended otherwise than it should. */
  | 'process'

export interface Finding {
  readonly kind: FindingKind
  readonly text: string
}

export interface RunRecord {
  readonly state: RunState
  readonly events: readonly RecordedEvent[]
  /** Hash of the result of each finished step. */
  readonly results: ReadonlyMap<string, string>
  /** The same, as far as an undisturbed run has the same results. */
  readonly steadyResults: ReadonlyMap<string, string>
  readonly effects: readonly Effect[]
}

export interface Recorded extends RunRecord {
  readonly companions: readonly RunRecord[]
  readonly world: readonly string[]
  readonly tree: string
  readonly problems: readonly string[]
}

type BlobId = Parameters<Blobs['get']>[0]

const isBlobId = (hash: string): hash is BlobId => /^[0-9a-f]{64}$/.test(hash)

/** Reads everything back with fresh eyes. */
export async function readRecord(base: string): Promise<Recorded> {
  const places = placesIn(base)
  const journal = openLocalStore({ path: places.journal })
  const blobs = createBlobStore({ root: places.blobs })
  try {
    const victim = await readRun(journal, blobs, victimRun, places.effects)
    const companions = await Promise.all(
      companionRuns.map((run, index) =>
        readRun(journal, blobs, run, places.companions[index] ?? ''),
      ),
    )
    const problems = [...(await journal.integrityProblems())]
    for (const { hash } of await journal.namedContent()) {
      assert(isBlobId(hash))
      await blobs.get(hash).catch((error: Error) => problems.push(error.message))
    }
    const world = readFileSync(places.world, 'utf8').split('\n').filter(Boolean)
    return { ...victim, companions, world, problems, tree: await treeOf(places.work) }
  } finally {
    await journal.close()
  }
}

/** What is missing right after a kill. Looks at a copy: opening the record would mend it. */
export async function findLost(base: string): Promise<readonly Finding[]> {
  const places = placesIn(base)
  const copy = `${base}.copy`
  cpSync(dirname(places.journal), copy, {
    recursive: true,
    filter: (path) => path !== places.blobs,
  })
  const journal = openLocalStore({ path: join(copy, basename(places.journal)) })
  try {
    const blobs = createBlobStore({ root: places.blobs })
    const there = new Set((await journal.listRuns()).map(({ id }) => id))
    const runs = [victimRun, ...companionRuns].map((run, index) => ({
      run,
      effects: [places.effects, ...places.companions][index] ?? '',
    }))
    const found: string[] = []
    for (const { run, effects } of runs) {
      if (there.has(run)) found.push(...lost(await readRun(journal, blobs, run, effects)))
      else if (readEffects(effects).some(({ type }) => type === 'accepted')) {
        found.push(`run ${run} was accepted and is not there`)
      }
    }
    return found.map(as('lost'))
  } finally {
    await journal.close()
    rmSync(copy, { recursive: true })
  }
}

async function readRun(
  journal: Journal,
  blobs: Blobs,
  run: RunId,
  effects: string,
): Promise<RunRecord> {
  const { state } = await loadRun(journal, run)
  const events = await journal.read(run)
  const results = new Map<string, string>()
  const steadyResults = new Map<string, string>()
  for (const { event } of events) {
    if (event.type !== 'step-finished') continue
    const { result } = event
    const inline = result === undefined || 'value' in result
    const value: unknown = inline
      ? result?.value
      : JSON.parse((await blobs.get(result.blob)).toString('utf8'))
    results.set(placeKey(event), hashOf(value))
    steadyResults.set(placeKey(event), hashOf(withoutSpending(value)))
  }
  return { state, events, results, steadyResults, effects: readEffects(effects) }
}

export function judge(found: Recorded, clean: Recorded, base: string): readonly Finding[] {
  const runs = [found, ...found.companions]
  return [
    ...runs.flatMap(lost).map(as('lost')),
    ...[...runs.flatMap(repeated), ...twice(found.world)].map(as('repeated')),
    ...trees(found, base).map(as('tree')),
    ...[...found.problems, ...runs.flatMap(gaps)].map(as('integrity')),
    ...ending(found, clean).map(as('ending')),
    ...budget(found).map(as('budget')),
  ]
}

const as =
  (kind: FindingKind) =>
  (text: string): Finding => ({ kind, text })

function lost({ effects, results }: RunRecord): readonly string[] {
  const accepted = effects.filter((effect) => effect.type === 'accepted')
  const twice = accepted.length > 1 ? ['the run was accepted, and was not there afterwards'] : []
  const missing = effects.flatMap((effect) => {
    if (effect.type !== 'resolved') return []
    const kept = results.get(placeKey(effect))
    if (kept === effect.hash) return []
    return [
      `${placeKey(effect)} was handed over and ${kept ? 'is another' : 'is not'} in the record`,
    ]
  })
  return [...twice, ...missing]
}

function repeated({ effects, events }: RunRecord): readonly string[] {
  const finished = new Map<string, number>()
  for (const { event } of events) {
    if (event.type === 'step-finished') finished.set(placeKey(event), event.attempt)
  }
  const resolved = new Set<string>()
  const begun = new Set<string>()
  const found: string[] = []
  for (const effect of effects) {
    if (effect.type === 'resolved') resolved.add(placeKey(effect))
    if (effect.type !== 'began') continue
    const key = placeKey(effect)
    const last = finished.get(key) ?? Number.POSITIVE_INFINITY
    if (effect.attempt > last) found.push(`${key} ran again (${effect.attempt}) after its result`)
    if (resolved.has(key)) found.push(`${key} ran after its result was handed over`)
    const attempt = `${key} attempt ${effect.attempt}`
    if (begun.has(attempt)) found.push(`${attempt} ran twice`)
    begun.add(attempt)
  }
  return found
}

const twice = (world: readonly string[]): readonly string[] =>
  world
    .filter((key, index) => world.indexOf(key) !== index)
    .map((key) => `action ${key} happened twice`)

function trees({ effects, events, state, tree }: Recorded, base: string): readonly string[] {
  const started = new Map<string, string | undefined>()
  for (const { event } of events) {
    if (event.type === 'step-started') started.set(attemptKey(event), event.tree)
  }
  const wrong = effects.flatMap((effect) => {
    if (effect.type !== 'began') return []
    const key = attemptKey(effect)
    if (!started.has(key)) return [`${key} ran and its start is not in the record`]
    if (effect.tree === started.get(key)) return []
    return [`${key} began on ${effect.tree} and not on ${started.get(key)}`]
  })
  if (tree !== state.tree) wrong.push(`the workspace is ${tree}, the record says ${state.tree}`)
  return [...wrong, ...changesOutside(base)]
}

const attemptKey = (at: Place & { readonly attempt: number }): string =>
  `${placeKey(at)} attempt ${at.attempt}`

function changesOutside(base: string): readonly string[] {
  const { outside } = placesIn(base)
  const there = readdirSync(outside, { recursive: true, encoding: 'utf8' }).toSorted()
  const wanted = [...Object.keys(outsideFiles), 'kept'].toSorted()
  const found = isDeepStrictEqual(there, wanted) ? [] : [`outside has ${there.join(', ')}`]
  for (const [path, text] of Object.entries(outsideFiles)) {
    if (readFileSync(join(outside, path), 'utf8') !== text) found.push(`outside/${path} changed`)
  }
  const top = readdirSync(base).toSorted().join(' ')
  const expected = 'companion-1.log companion-2.log effects.log flags outside state work world.log'
  return top === expected ? found : [...found, `there is ${top}`]
}

function gaps({ events }: RunRecord): readonly string[] {
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1)
  return gap < 0 ? [] : [`event ${gap + 1} is missing`]
}

function ending(found: Recorded, clean: Recorded): readonly string[] {
  const differences: string[] = []
  const compare = (what: string, is: unknown, was: unknown): void => {
    if (isDeepStrictEqual(is, was)) return
    differences.push(`${what} is ${JSON.stringify(is)} and not ${JSON.stringify(was)}`)
  }
  compare('the outcome', found.state.outcome, clean.state.outcome)
  compare('progress', found.state.progress, clean.state.progress)
  compare('the tree', found.tree, clean.tree)
  compare('what actions did', found.world.toSorted(), clean.world.toSorted())
  for (const [key, hash] of clean.steadyResults) {
    if (!isTimed(key)) compare(`the result of ${key}`, found.steadyResults.get(key), hash)
  }
  compare('the number of results', found.results.size, clean.results.size)
  clean.companions.forEach((was, index) => {
    const is = found.companions[index]
    compare('the outcome beside it', is?.state.outcome, was.state.outcome)
    const untimed = (results: Recorded['steadyResults'] = new Map()): unknown =>
      [...results].map(([key, hash]) => (isTimed(key) ? [key] : [key, hash]))
    compare('the results beside it', untimed(is?.steadyResults), untimed(was.steadyResults))
  })
  return differences
}

/** A check says how long it took. */
const isTimed = (key: string): boolean => key.includes('/check:')

function budget({ state, events, effects }: Recorded): readonly string[] {
  const found: string[] = []
  const { spent, reserved, limits } = state
  const sum = spentBy(events.map(({ event }) => event))
  if (!isDeepStrictEqual(sum, spent)) {
    found.push(`spent ${JSON.stringify(spent)} where the events say ${JSON.stringify(sum)}`)
  }
  if (Object.keys(reserved).length > 0) found.push(`reserved still: ${JSON.stringify(reserved)}`)
  if (spent.tokens > limits.tokens || spent.costMicros > limits.costMicros) found.push('overspent')
  const paid = effects.filter((effect) => effect.type === 'called')
  for (const call of paid) {
    const id = `${placeKey(call)}/${call.attempt}/`
    const isReserved = ({ event }: { event: RunEvent }): boolean =>
      event.type === 'budget-reserved' && event.id.startsWith(id)
    if (!events.some(isReserved)) found.push(`${id} was paid for without a reservation`)
  }
  return found
}
