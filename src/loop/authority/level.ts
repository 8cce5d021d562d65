/** How much a run may do without a person: 1 reports, 2 proposes actions, 3 acts within its gates. */
export type Level = 1 | 2 | 3

/** Of a run that states none. */
export const defaultLevel: Level = 2

export const levelNames: Readonly<Record<Level, string>> = {
  1: 'L1-report',
  2: 'L2-assisted',
  3: 'L3-unattended',
}

/**
 * What a loop file says. A number: the level that the loop starts at, and the highest one that it can have. `earned`: it
 * starts at 1, and can have every level.
 */
export type LevelSetting = Level | 'earned'

export const ceilingOf = (setting: LevelSetting): Level => (setting === 'earned' ? 3 : setting)

export const startingLevelOf = (setting: LevelSetting): Level =>
  setting === 'earned' ? 1 : setting

/** `stored`: the level that it was given or left with. Absent: it was never changed. */
export const effectiveLevel = (setting: LevelSetting, stored?: Level): Level => {
  const level = Math.min(ceilingOf(setting), stored ?? startingLevelOf(setting))
  return level === 3 ? 3 : level === 2 ? 2 : 1
}
