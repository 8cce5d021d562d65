/**
 * What a new run is: the command line first, then its loop file, then the settings that hold. Limits of
 * the settings are the most that a loop file may ask for.
 */

import { defined, type Limits } from '../../loop/index.ts'
import type { RunSettings, WorktreeOverrides } from '../../protocol/api/index.ts'
import type { WorktreeSettings } from '../../protocol/index.ts'
import type { ChosenWorktree } from '../../protocol/loop-file/chosen-worktree.ts'
import type { LoadOptions } from '../load-options.ts'

/** The checks of the settings, as `loadLoop` takes them. */
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
  const { iterations, tokens, costMicros, timeMs } = settings.limits ?? {}
  return {
    ...file,
    ...lower('iterations', file.iterations, iterations),
    ...lower('tokens', file.tokens, tokens),
    ...lower('costMicros', file.costMicros, costMicros),
    ...lower('timeMs', file.timeMs, timeMs),
    ...given,
  }
}

function lower<K extends keyof Limits>(
  name: K,
  file: number | undefined,
  most: number | undefined,
): { readonly [name in K]?: number } {
  if (most === undefined) return {}
  return { [name]: Math.min(file ?? most, most) } as { readonly [name in K]?: number }
}

/** All that git ignores, as Worktrunk's copy-ignored brings it along. */
const everything = [{ path: '**', by: 'copy' }] as const

export function runWorktree(
  file: WorktreeSettings,
  settings: RunSettings = {},
  given: WorktreeOverrides = {},
): ChosenWorktree {
  const weak = settings.worktree ?? {}
  const { use, allowDirty } = given
  const base = given.base ?? file.base ?? weak.base
  const path = given.path ?? file.path ?? weak.path
  const branchPrefix = given.branchPrefix ?? file.branchPrefix ?? weak.branchPrefix
  const ofFile = file.provider === 'auto' ? undefined : file.provider
  const program = given.worktrunkProgram ?? weak.worktrunkProgram
  const configPath = given.worktrunkConfig ?? weak.worktrunkConfig
  const copies = given.copyIgnored ?? weak.copyIgnored ?? false
  const carry =
    given.copyIgnored === true ? everything : (file.carry ?? (copies ? everything : undefined))
  const worktrunk = defined({ program, configPath })
  return {
    ...file,
    provider: given.provider ?? ofFile ?? weak.provider ?? 'auto',
    ...(use !== undefined || given.base === undefined ? {} : { use: true }),
    ...defined({ use, allowDirty, base, path, branchPrefix, carry }),
    ...(Object.keys(worktrunk).length === 0 ? {} : { worktrunk }),
  }
}
