/** Adds a schedule: everything that can be wrong with it is refused now, and not at its first tick. */

import { homedir } from 'node:os'
import { basename, extname } from 'node:path'
import { loadLoop } from '../../launch/load-loop.ts'
import { runFirstStage } from '../../launch/preflight/look-ahead.ts'
import { runEnvironment } from '../../launch/run-environment.ts'
import { requireAbsolute } from '../../launch/start/require-absolute.ts'
import { workspaceFor } from '../../launch/start/workspace-for.ts'
import { defined, LoopError } from '../../loop/index.ts'
import type { NewScheduleRequest, ScheduleTrigger } from '../../protocol/api/index.ts'
import type { DaemonParts } from '../parts.ts'
import { addEntry, type Entry, toRules } from './book.ts'
import { createSights } from './look-at-files.ts'
import { firstState } from './rules/due.ts'
import type { ScheduleDefinition, ScheduleState } from './rules/schedule.ts'
import { isTimeZone, machineZone } from './rules/zone-time.ts'

export interface Added {
  readonly entry: Entry
  readonly warnings: readonly string[]
}

const alertAfterDefault = 3
/** What a loop may cost in a day unless the user says otherwise: four runs at the default limit. */
const dailyCostMicrosDefault = 20_000_000

export async function addSchedule(
  { host, reads }: Pick<DaemonParts, 'host' | 'reads'>,
  request: NewScheduleRequest,
  nowMs: number,
): Promise<Added> {
  const { file, workspace, here, input, limits, worktree, trigger, fromNext = false } = request
  for (const path of [file, workspace, here, ...pathsOf(trigger)]) requireAbsolute(path)
  const loaded = await loadLoop(
    file,
    {
      folder: host.folder,
      here: here ?? homedir(),
      onLine: () => undefined,
      ...defined({ input, trust: request.trust, types: host.loopTypes }),
    },
    reads,
  )
  const place = workspaceFor(workspace, loaded)
  const definition: ScheduleDefinition = {
    file: loaded.source.file,
    loop: loaded.name,
    trigger,
    timeZone: requireZone(request.timeZone ?? machineZone()),
    always: request.always ?? false,
    caps: { costMicros: dailyCostMicrosDefault, ...request.caps },
    alertAfter: request.alertAfter ?? alertAfterDefault,
    by: request.by ?? 'unknown',
    ...defined({ workspace, here, input, limits, worktree }),
    ...defined({ activeHours: request.activeHours, notify: request.notify }),
  }
  const rules = toRules(definition, nowMs)
  if (rules.timetable !== undefined && trigger.type === 'time') {
    requireDue(rules.timetable.after(nowMs), trigger.cadence)
  }
  const seen = await firstSight(host, trigger)
  const state: ScheduleState = {
    ...firstState(rules, { nowMs, fromNext }),
    ...defined({ seen }),
  }
  const { schedules } = host.journal
  const name = request.name ?? freeName(nameAfter(file), await schedules.list())
  const entry = await addEntry(schedules, { name, definition, state, createdAtMs: nowMs })
  const found = await runFirstStage(loaded, {
    workspace: place,
    folder: host.folder,
    attended: false,
    environment: runEnvironment(undefined),
  })
  const warnings = found.filter(({ status }) => status === 'problem').map(({ detail }) => detail)
  return { entry, warnings }
}

const pathsOf = (trigger: ScheduleTrigger): readonly string[] => {
  if (trigger.type === 'file') return [trigger.path]
  return trigger.type === 'branch' ? [trigger.repository] : []
}

function requireZone(name: string): string {
  if (isTimeZone(name)) return name
  throw new LoopError(
    'bad-request',
    `${JSON.stringify(name)} is not a time zone of this machine. Use a name such as Europe/Berlin, or UTC.`,
  )
}

function requireDue(atMs: number | undefined, cadence: string): void {
  if (atMs !== undefined) return
  throw new LoopError(
    'bad-request',
    `${JSON.stringify(cadence)} is never due within its active hours. Change the cadence or --hours.`,
  )
}

/** What it knows of what it watches, so that only later events count. */
async function firstSight(
  { journal }: DaemonParts['host'],
  trigger: ScheduleTrigger,
): Promise<string | undefined> {
  if (trigger.type === 'run') return String(await journal.lastPosition())
  if (trigger.type !== 'file' && trigger.type !== 'branch') return undefined
  const sight = await createSights().look('', trigger)
  if (sight !== undefined) return sight
  const what = trigger.type === 'file' ? trigger.path : `the repository of ${trigger.repository}`
  throw new LoopError('bad-request', `Cannot read ${what}. Check the path.`)
}

const nameCharsMax = 40

function nameAfter(file: string): string {
  const words = basename(file, extname(file))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, nameCharsMax - 4)
    .replaceAll(/^-+|-+$/g, '')
  return words === '' ? 'schedule' : words
}

function freeName(wanted: string, entries: readonly { readonly name: string }[]): string {
  const taken = new Set(entries.map(({ name }) => name))
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`
    if (!taken.has(name)) return name
  }
}
