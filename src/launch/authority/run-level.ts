/**
 * The level of a run: never above what its loop file allows, and never above what its loop was left with in this
 * repository. Editing the file does not win a lost level back.
 */

import { type Gate, settingCauses, type Trust } from '../../engine/index.ts'
import { effectiveLevel, type Level, type LevelSetting, levelNames } from '../../loop/index.ts'

export type ReadLevels = Pick<Trust, 'changes'>

export interface LevelOfRun {
  readonly setting: LevelSetting
  readonly loop: string
  /** The folder of the repository, or the folder that the loop works in. */
  readonly repository?: string | undefined
  readonly trust: ReadLevels
}

/** The lowest of the levels for these kinds of actions. Without kinds: that of the loop file. */
export async function findRunLevel(of: LevelOfRun, kinds: readonly string[]): Promise<Level> {
  const levels = await Promise.all([...new Set(kinds)].map((kind) => findLevel(of, kind)))
  const least = levels.length === 0 ? effectiveLevel(of.setting) : Math.min(...levels)
  return least === 3 ? 3 : least === 2 ? 2 : 1
}

/** For one kind of action. */
export async function findLevel(
  { setting, loop, repository = '', trust }: LevelOfRun,
  kind: string,
): Promise<Level> {
  const scope = { loop, repository, kind }
  const [last] = await trust.changes({ ...scope, causes: settingCauses, limit: 1 })
  return effectiveLevel(setting, last?.level)
}

/** A gate that knows what the loop was left with for each kind of action, also if that changed since the run started. */
export const atCurrentLevel = (gate: Gate, of: LevelOfRun): Gate => ({
  async judge(action, at, facts) {
    const current = await findLevel(of, action.kind)
    if (current >= facts.level) return gate.judge(action, at, facts)
    if (current > 1) return gate.judge(action, at, { ...facts, level: current })
    const reason = `the level is ${levelNames[1]} by now: actions are reported, not performed`
    return { type: 'deny', reason, rule: 'level' }
  },
})
