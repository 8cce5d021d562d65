/**
 * Creates the run of a tick, the same way as every other run.
 *
 * 1. E10. A run that exists for the tick is returned, also if it was created just before the process was killed.
 * 2. E8. If the loop gathers what it works on, and neither that nor the files nor the loop changed since the last run,
 *    there is no run, and nothing is spent.
 * 3. The loop file is trusted by its content: after a change there is no run until a person trusts it again.
 */

import { dirname } from 'node:path'
import { readConfig, withFlags } from '../../definition/config/load-config.ts'
import { loadRun } from '../../engine/index.ts'
import type { Host } from '../../host/host.ts'
import type { ReadLoops } from '../../launch/read-loops.ts'
import { defined, isLoopError, type RunId, type RunState } from '../../loop/index.ts'
import type { NewRunRequest, RunSettings } from '../../protocol/api/index.ts'
import type { RunStarter } from '../parts.ts'
import type { Entry } from './book.ts'
import type { Begun } from './handle-tick.ts'
import { fitCaps } from './rules/caps.ts'
import type { Due } from './rules/schedule.ts'
import { findWhatIsNew } from './what-is-new.ts'

export interface BeginParts {
  readonly host: Host
  readonly scheduler: Pick<RunStarter, 'submit'>
  readonly reads?: ReadLoops
  readonly now: () => number
  readonly signal: AbortSignal
}

export async function beginTick(
  parts: BeginParts,
  entry: Entry,
  due: Due,
  others: readonly Entry[],
): Promise<Begun> {
  const { host, scheduler, now } = parts
  const key = `schedule:${entry.id}:${due.tick}`
  const known = await host.journal.queue.request(key)
  if (known !== undefined) return started(parts, known.run)
  const { definition } = entry
  const { timeZone, caps, file } = definition
  const ofLoop = others.filter((one) => one.definition.file === file).map(({ state }) => state)
  const allowed = fitCaps(caps, ofLoop, { timeZone, nowMs: now() })
  if ('code' in allowed) return { type: 'skipped', ...allowed }
  const { type: _type, ...limitsMax } = allowed
  const request = { ...toRequest(entry), settings: await readSettings(host, entry) }
  const found = await findWhatIsNew(parts, request)
  const { evidence } = entry.state
  const isAlways = definition.always || due.kind === 'now'
  if (found !== undefined && !isAlways && found.fingerprint === evidence?.fingerprint) {
    return {
      type: 'skipped',
      code: 'nothing-new',
      reason: `nothing new since run "${evidence.name}"`,
    }
  }
  // Without anything that could be new, each tick is.
  const outside = {
    ...found?.outside,
    ...(found === undefined || isAlways ? { tick: `${entry.name} ${due.tick}` } : {}),
  }
  const scheduled = { schedule: { name: entry.name, tick: due.tick }, limitsMax }
  const submit = async (name: string): Promise<Begun> => {
    const { run } = await scheduler.submit({ ...request, outside, name }, key, scheduled)
    return started(parts, run.id, found?.fingerprint)
  }
  const name = nameRun(entry, due)
  try {
    return await submit(name)
  } catch (error) {
    if (!isLoopError(error, 'name-taken')) throw error
    // The run of this tick, if its key is no longer kept; else a run of a person.
    const other = await host.journal.findRun(name)
    if (await isOfTick(parts, entry, due, other.id)) return started(parts, other.id)
    return submit(`${name}-${entry.id.slice(0, 4)}`)
  }
}

async function isOfTick(
  { host }: BeginParts,
  { name, createdAtMs }: Entry,
  { tick }: Due,
  run: RunId,
): Promise<boolean> {
  const { state, created } = await loadState(host, run)
  return state.schedule?.name === name && state.schedule.tick === tick && created >= createdAtMs
}

async function started(parts: BeginParts, run: RunId, fingerprint?: string): Promise<Begun> {
  const { state, name, created } = await loadState(parts.host, run)
  const { tokens, costMicros } = state.limits
  return {
    type: 'started',
    atMs: created,
    run,
    name,
    reserved: { tokens, costMicros },
    ...defined({ fingerprint }),
  }
}

async function loadState(
  { journal }: Host,
  run: RunId,
): Promise<{ readonly state: RunState; readonly name: string; readonly created: number }> {
  const { name, createdAtMs } = await journal.findRun(run)
  const { state } = await loadRun(journal, run)
  return { state, name, created: createdAtMs }
}

/** Such as `nightly-20260329-010000`, in UTC: unique, whatever the clocks of its zone do. */
function nameRun({ name }: Entry, { atMs }: Due): string {
  const at = new Date(atMs).toISOString().replaceAll(/[-:]/g, '')
  return `${name}-${at.slice(0, 8)}-${at.slice(9, 15)}`
}

const toRequest = ({ name, definition }: Entry): NewRunRequest => {
  const { file, workspace, here, input, limits, worktree } = definition
  return {
    file,
    attended: false,
    by: `schedule ${name}`,
    ...defined({ workspace, here, input, limits, worktree }),
  }
}

/** As they are now, where the schedule was added. A project's file can only tighten those of the user. */
async function readSettings(
  { folder }: Host,
  { definition: { here, file } }: Entry,
): Promise<RunSettings> {
  const environment = { ...process.env, LOOP_CONFIG: undefined }
  const read = await readConfig({ cwd: here ?? dirname(file), folder, environment })
  const { daemon: _daemon, ...settings } = withFlags(read).settings
  return settings
}
