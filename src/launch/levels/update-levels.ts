/**
 * Draws the conclusions: escapes lower levels, evidence raises 1 to 2 where the loop file says `earned`, and proposes
 * everything else. Level 3 is only ever given by a person.
 */

import { createHash } from 'node:crypto'
import { defined, levelNames } from '../../loop/index.ts'
import type { FoundEscape, LevelStanding } from '../../protocol/api/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { type EscapeSearch, findEscapes } from './find-escapes.ts'
import { readKnownRuns } from './known-runs.ts'
import { findScopes, type KnownScope, type KnownStanding, readStanding } from './read-levels.ts'

type Base = Pick<HostPorts, 'folder' | 'journal' | 'blobs' | 'clock'>

export interface UpdatedLevels {
  readonly items: readonly LevelStanding[]
  readonly escapes: readonly FoundEscape[]
}

export interface UpdateOptions {
  /** Keeps what was read in the state folder, for the next look. Default: true. */
  readonly remember?: boolean
}

export async function updateLevels(
  base: Base,
  search: EscapeSearch = {},
  { remember = true }: UpdateOptions = {},
): Promise<UpdatedLevels> {
  const known = await readKnownRuns(base.folder, search)
  const escapes = await findEscapes(base, search, known)
  const scopes = (await findScopes(base, search.loop)).filter(
    ({ repository }) => search.repository === undefined || repository === search.repository,
  )
  const items: LevelStanding[] = []
  for (const scope of scopes) {
    const found = await readStanding(base, scope, known)
    const isChanged = await conclude(base, scope, found)
    items.push(isChanged ? (await readStanding(base, scope, known)).view : found.view)
  }
  // The next look reads more without it.
  if (remember) await known.store().catch(() => undefined)
  return { items, escapes }
}

/** Whether something was stored. */
async function conclude(
  { journal: { trust }, clock }: Pick<Base, 'journal' | 'clock'>,
  { loop, repository, kind, fact }: KnownScope,
  { standing, view, lastId }: KnownStanding,
): Promise<boolean> {
  const { level, next, missing, isEarned, evidence } = standing
  // Without a run that says what the loop file allows, nothing is concluded.
  if (fact === undefined || next === undefined || missing.length > 0) return false
  if (!isEarned && view.proposed === next) return false
  const { successes, trials, lower, confidence } = evidence
  const shown = `${successes} of ${trials} rounds, at least ${Math.floor(lower * 100)} % with ${confidence * 100} % confidence`
  const what = isEarned ? `${levelNames[next]} is earned` : `${levelNames[next]} is proposed`
  // After `lastId`: an escape that is recorded meanwhile wins.
  const change = await trust.record({
    loop,
    kind,
    key: keyOf(lastId, next, isEarned),
    cause: isEarned ? 'earned' : 'proposed',
    starting: level,
    by: 'evidence',
    reason: `${what}: ${shown}`,
    details: { to: next, successes, trials, lower, confidence, judges: fact.judges },
    atMs: clock.now(),
    after: lastId,
    ...defined({ repository, level: isEarned ? next : undefined }),
  })
  return change !== undefined
}

/** The same conclusion from the same state is stored once. */
const keyOf = (lastId: number, next: number, isEarned: boolean): string =>
  createHash('sha256')
    .update(JSON.stringify([lastId, next, isEarned]))
    .digest('hex')
    .slice(0, 24)
