/** Adds a schedule, after the user trusted its loop file. */

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { defined, LoopError } from '../../loop/index.ts'
import type { NewScheduleRequest, ScheduleTrigger } from '../../protocol/api/index.ts'
import { byName } from '../choose-loop.ts'
import { type LimitOptions, limitsFrom } from '../limit-options.ts'
import { askedWorktree, type LoadOptions, type WorktreeOptions } from '../run-options.ts'
import { who } from '../session.ts'
import { agreedDigest } from '../trust.ts'
import { withSchedules } from './with-schedules.ts'

export interface AddScheduleOptions extends LoadOptions, LimitOptions, WorktreeOptions {
  readonly name?: string
  readonly workspace?: string
  readonly tz?: string
  readonly hours?: string
  readonly fromNext?: boolean
  readonly always?: boolean
  readonly onFile?: string
  readonly onBranch?: string
  readonly onRun?: string
  readonly outcome?: readonly string[]
  readonly onWebhook?: boolean
  readonly dailyRuns?: number
  readonly dailyTokens?: number
  readonly dailyCost?: number
  readonly alertAfter?: number
  readonly notify?: string
}

export async function addNewSchedule(
  program: Command,
  named: { readonly file: string; readonly cadence: string | undefined },
  options: AddScheduleOptions,
): Promise<void> {
  const file = resolve(byName('.', named.file))
  const trigger = triggerFrom(named.cadence, options)
  await withSchedules(
    program,
    async ({ client, session, print }) => {
      const preview = await client.previewLoop(file)
      const trust = preview.trusted
        ? undefined
        : await agreedDigest(session, preview, options.trust === true)
      const added = await client.schedules.add({
        ...requestFrom(preview.file, trigger, options),
        ...defined({ trust }),
      })
      const { renderAdded } = await import('../display/schedules-view.ts')
      print(added, () => renderAdded(added))
    },
    'drive',
  )
}

function requestFrom(
  file: string,
  trigger: ScheduleTrigger,
  options: AddScheduleOptions,
): NewScheduleRequest {
  const { name, tz: timeZone, hours, fromNext, always, notify, alertAfter, input } = options
  const { dailyRuns: runs, dailyTokens: tokens, dailyCost: costMicros } = options
  const workspace = options.workspace === undefined ? undefined : resolve(options.workspace)
  const here = process.cwd() === homedir() ? undefined : process.cwd()
  return {
    file,
    trigger,
    by: who(),
    limits: limitsFrom(options),
    worktree: askedWorktree(options),
    caps: defined({ runs, tokens, costMicros }),
    ...defined({ name, workspace, here, timeZone, activeHours: hours, fromNext, always }),
    ...defined({ alertAfter, input }),
    ...(notify === undefined ? {} : { notify: ['/bin/sh', '-c', notify] }),
  }
}

function triggerFrom(cadence: string | undefined, options: AddScheduleOptions): ScheduleTrigger {
  const { onFile, onBranch, onRun, onWebhook, outcome } = options
  const triggers: readonly (ScheduleTrigger | undefined)[] = [
    cadence === undefined ? undefined : { type: 'time', cadence },
    onFile === undefined ? undefined : { type: 'file', path: resolve(onFile) },
    onBranch === undefined
      ? undefined
      : { type: 'branch', repository: resolve(options.workspace ?? '.'), branch: onBranch },
    onRun === undefined ? undefined : { type: 'run', loop: onRun, outcomes: outcome ?? [] },
    onWebhook === true ? { type: 'webhook' } : undefined,
  ]
  const [trigger, ...more] = triggers.flatMap((one) => one ?? [])
  if (trigger === undefined || more.length > 0) {
    const message = trigger === undefined ? 'When is it due?' : 'A schedule is due in one way.'
    throw new LoopError(
      'bad-request',
      `${message} Pass a cadence or one of --on-file, --on-branch, --on-run and --on-webhook, such as: loopctl schedule add triage.yaml "daily 09:00"`,
    )
  }
  if (outcome !== undefined && onRun === undefined) {
    throw new LoopError('bad-request', '--outcome needs --on-run <loop>.')
  }
  return trigger
}
