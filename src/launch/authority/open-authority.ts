/** What a run may do by itself: its level, gate and policy, and its actions with their executors. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chosenGate, mergeGate } from '../../authority/index.ts'
import type { Gate, Policy } from '../../engine/index.ts'
import { defined, effectiveLevel, type Level } from '../../loop/index.ts'
import type { LoopFile } from '../../protocol/index.ts'
import type { RunParts } from '../../runs/options.ts'
import type { Environment } from '../../system/environment.ts'
import type { CodeParts } from '../code-loop/index.ts'
import type { OpenContext } from '../open-context.ts'
import type { OpenedSandbox } from '../opened-sandbox.ts'
import { type OpenActions, openActions, toActions } from './open-actions.ts'
import { atCurrentLevel, findRunLevel } from './run-level.ts'
import { toGate } from './to-gate.ts'

type AuthoritySettings = Pick<
  LoopFile,
  'actions' | 'gate' | 'level' | 'mergesWhenCertified' | 'name' | 'proposes' | 'seals'
>

export interface AuthorityContext extends OpenContext {
  /** The folder of the loop file. */
  readonly base: string
  /** Opens the policy of the run. Absent: it has none. */
  readonly openPolicy?: () => Promise<Policy | undefined>
  /** The kinds of actions that its runs propose. */
  readonly kinds: readonly string[]
  readonly leveled: OpenedLevel
  /** The branch that the loop type chooses for `merge`. Absent: it chooses none. */
  readonly mergeInto?: string
}

/** What the run may do by itself, and what it does once its work is certified. */
export async function openAuthority(
  file: AuthoritySettings,
  place: AuthorityContext,
  workspace: string,
  code: CodeParts | undefined,
): Promise<
  Pick<RunParts, 'actions' | 'gate' | 'isSealed' | 'policy' | 'seals' | 'whenCertified'> & {
    readonly level: Level
  }
> {
  const { mergeInto } = place
  const { gate = gateOf(file, mergeInto), actions } = code ?? {}
  const { level, leveled } = place.leveled
  return {
    level,
    ...sealsOf(file.seals),
    whenCertified: toActions(file.actions, {
      loop: file.name,
      base: place.base,
      hasWorktree: place.checkout !== undefined,
      ...defined({ mergeInto }),
    }),
    ...(await openPolicyPart(place, workspace, file.seals)),
    gate: leveled(gate),
    ...defined({ actions }),
  }
}

export interface OpenedLevel {
  readonly level: Level
  /** The gate, for what is known about the level when it is asked. */
  leveled(gate: Gate): Gate
}

/** The level of the run, before anything is opened that depends on it. */
export async function openLevel(
  { level: setting, name: loop }: Pick<AuthoritySettings, 'level' | 'name'>,
  { trust, level, project: repository, kinds }: Omit<AuthorityContext, 'leveled'>,
): Promise<OpenedLevel> {
  if (trust === undefined || level !== undefined) {
    return { level: level ?? effectiveLevel(setting), leveled: (gate) => gate }
  }
  const of = { setting, loop, repository, trust }
  return { level: await findRunLevel(of, kinds), leveled: (gate) => atCurrentLevel(gate, of) }
}

const gateOf = (
  { gate, mergesWhenCertified, proposes }: AuthoritySettings,
  mergeInto: string | undefined,
): Gate => {
  if (proposes?.kind === 'edit-artifacts' && proposes.isChosen) {
    return chosenGate(proposes.kind, toGate(gate))
  }
  return mergesWhenCertified === true && mergeInto !== undefined
    ? mergeGate(mergeInto, toGate(gate))
    : toGate(gate)
}

function sealsOf({ paths, except, keys }: LoopFile['seals']): Pick<RunParts, 'seals'> {
  const isDefault = paths.length + except.length + Object.keys(keys).length === 0
  return isDefault ? {} : { seals: { paths, except, keys } }
}

/** A replay does again what was allowed then, and checks ask nothing. */
async function openPolicyPart(
  { openPolicy, replay, isForChecks }: AuthorityContext,
  workspace: string,
  seals: LoopFile['seals'],
): Promise<Pick<RunParts, 'policy' | 'isSealed'>> {
  if (openPolicy === undefined || replay !== undefined || isForChecks === true) return {}
  const policy = await openPolicy()
  if (policy === undefined) return {}
  const { createClassify } = await import('../../evidence/index.ts')
  const has = (path: string): boolean => existsSync(join(workspace, path))
  const classify = createClassify(seals, { has, loaded: new Map() })
  return { policy, isSealed: (path) => classify(path) !== undefined }
}

/** Only for a file that names actions: others have no executor, and say so. */
export function openExecutors(
  { name, actions, proposes }: AuthoritySettings,
  { commands }: OpenedSandbox,
  { workspace, startRun }: OpenContext,
  environment: Environment,
): OpenActions | undefined {
  if (actions.length === 0 && proposes === undefined) return undefined
  const waits = proposes !== undefined
  const parts = { loop: name, commands, workspace, environment, waits }
  return openActions({ ...parts, ...defined({ startRun }) })
}
