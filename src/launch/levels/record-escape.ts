/**
 * An action that was performed turned out to be wrong: its work is void, or was reverted. Its loop loses a level for that kind
 * of action, once.
 *
 * 1. The action is marked in the journal of its run first. If the process is killed after that, the next look at escapes lowers
 *    the level: every marked action is looked at again.
 * 2. A level is lowered once for each action, however often that is concluded.
 */

import { type LevelChange, recordIdle, settingCauses } from '../../engine/index.ts'
import { viewActions } from '../../history/views/view-actions.ts'
import { defined, effectiveLevel, type Level, LoopError, type RunId } from '../../loop/index.ts'
import type { ActionEntry, EscapeRequest } from '../../protocol/api/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { readRecordedLevel } from '../../runs/recorded-level.ts'
import { createOwnerId } from '../../system/index.ts'
import { readLevelFact } from './level-fact.ts'

type Base = Pick<HostPorts, 'journal' | 'blobs' | 'clock'>

/** The run of an action. */
export interface ActedRun {
  readonly id: RunId
  readonly name: string
  readonly loop: string
  readonly repository?: string
  readonly workspace?: string
}

/** Resolves with the action. Rejects with `bad-request` if it was not performed. */
export async function recordEscape(
  base: Base,
  idOrName: string,
  { key, reason, by }: EscapeRequest & { readonly by: string },
): Promise<ActionEntry> {
  const run = await base.journal.findRun(idOrName)
  const { id } = run
  const find = async (): Promise<ActionEntry> => {
    const entry = (await viewActions(base, id)).find((one) => one.key === key)
    if (entry?.status === 'done' || entry?.status === 'escaped') return entry
    const message = `Run "${run.name}" performed no action ${JSON.stringify(key)}.`
    throw new LoopError('bad-request', `${message} List them: loopctl actions ${run.name}`)
  }
  const entry = await find()
  const { kind, status } = entry
  if (status === 'done') {
    const change = { type: 'action-recorded', key, kind, status: 'escaped', reason } as const
    await recordIdle(id, base, createOwnerId(), { ...change, requestedBy: by })
  }
  const escaped = await find()
  await lowerLevel(base, run, escaped, { by })
  return escaped
}

/** Work that landed was merged. */
export const levelKind = (kind: string): string => (kind === 'land' ? 'merge' : kind)

const triesMax = 10

/** Resolves with the change, which may be an earlier one about the same action. */
export async function lowerLevel(
  base: Pick<Base, 'journal' | 'clock'>,
  run: ActedRun,
  {
    key,
    kind: acted,
    reason = 'it turned out to be wrong',
    facts,
  }: Pick<ActionEntry, 'key' | 'kind' | 'reason' | 'facts'>,
  { by }: { readonly by: string },
): Promise<LevelChange> {
  const { trust } = base.journal
  const repository = run.repository ?? run.workspace
  const scope = { loop: run.loop, kind: levelKind(acted), ...defined({ repository }) }
  const filter = { ...scope, repository: repository ?? '', limit: 1 }
  for (let tries = 0; tries < triesMax; tries += 1) {
    const last = await trust.current(scope)
    const [set] = await trust.changes({ ...filter, causes: settingCauses })
    const had = await levelBefore(base, run, facts?.level, set?.level)
    const change = await trust.record({
      ...scope,
      key: `escape ${run.id} ${key}`,
      cause: 'escape',
      level: had === 3 ? 2 : 1,
      starting: had,
      by,
      reason: `${acted} of ${run.name}: ${reason}`,
      details: { run: run.id, action: key },
      atMs: base.clock.now(),
      after: last?.id ?? 0,
    })
    if (change !== undefined) return change
  }
  throw new LoopError('store-failed', 'The level changed again and again meanwhile. Try again.')
}

/** The level that the next run would have, or that this one had. */
async function levelBefore(
  { journal }: Pick<Base, 'journal'>,
  run: ActedRun,
  acted: Level | undefined,
  stored: Level | undefined,
): Promise<Level> {
  const setting = (await readLevelFact(journal, run.id))?.setting
  if (setting !== undefined) return effectiveLevel(setting, stored)
  return stored ?? acted ?? readRecordedLevel(journal, run.id)
}
