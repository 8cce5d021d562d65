/**
 * Combines the options of a new run: the command line overrides the loop file, which overrides the configuration.
 * Limits of the configuration are upper bounds for those of the loop file.
 */

import { changeLimits, defined, type Limits } from '../../loop/index.ts'
import type { RunSettings, WorktreeOverrides } from '../../protocol/api/index.ts'
import type { WorktreeSettings } from '../../protocol/index.ts'
import type { ChosenWorktree } from '../../protocol/loop-file/chosen-worktree.ts'
import type { LoadOptions } from '../load-options.ts'

/** The checks of the configuration, as an option of `loadLoop`. */
export const moreChecks = ({
  commands = [],
  timeoutMs,
}: NonNullable<RunSettings['checks']> = {}): Pick<LoadOptions, 'moreChecks'> =>
  commands.length === 0 ? {} : { moreChecks: { commands, ...defined({ timeoutMs }) } }

export function runLimits(
  file: Partial<Limits>,
  settings: RunSettings = {},
  given: Partial<Limits> = {},
): Partial<Limits> {
  const { iterationTimeMs, iterationTokens, iterationCostMicros, ...most } = settings.limits ?? {}
  const iteration = lower(file.iteration ?? {}, {
    ...defined({ timeMs: iterationTimeMs }),
    ...defined({ tokens: iterationTokens, costMicros: iterationCostMicros }),
  })
  const lowered = {
    ...lower(file, most),
    ...(Object.keys(iteration).length === 0 ? {} : { iteration }),
  }
  return changeLimits(lowered, given)
}

/** A limit that the file does not have is that of the settings. */
function lower<T extends object>(file: T, most: { readonly [name in keyof T]?: number }): T {
  const names = Object.keys(most) as (keyof T)[]
  const lowered = names.flatMap((name) => {
    const max = most[name]
    const own = file[name]
    if (max === undefined) return []
    return [[name, typeof own === 'number' ? Math.min(own, max) : max]]
  })
  return { ...file, ...Object.fromEntries(lowered) }
}

/** Copies all files that git ignores, like `copy-ignored` of Worktrunk. */
const everything = [{ path: '**', by: 'copy' }] as const

export function runWorktree(
  file: WorktreeSettings,
  settings: RunSettings = {},
  given: WorktreeOverrides = {},
): ChosenWorktree {
  const configured = settings.worktree ?? {}
  const { use, allowDirty } = given
  const base = given.base ?? file.base ?? configured.base
  const path = given.path ?? file.path ?? configured.path
  const branchPrefix = given.branchPrefix ?? file.branchPrefix ?? configured.branchPrefix
  const ofFile = file.provider === 'auto' ? undefined : file.provider
  const program = given.worktrunkProgram ?? configured.worktrunkProgram
  const configPath = given.worktrunkConfig ?? configured.worktrunkConfig
  const copies = given.copyIgnored ?? configured.copyIgnored ?? false
  const carry =
    given.copyIgnored === true ? everything : (file.carry ?? (copies ? everything : undefined))
  const worktrunk = defined({ program, configPath })
  return {
    ...file,
    provider: given.provider ?? ofFile ?? configured.provider ?? 'auto',
    ...(use !== undefined || given.base === undefined ? {} : { use: true }),
    ...defined({ use, allowDirty, base, path, branchPrefix, carry }),
    ...(Object.keys(worktrunk).length === 0 ? {} : { worktrunk }),
  }
}
