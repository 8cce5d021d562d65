/** How much a run may do without a person: 1 reports, 2 proposes actions, 3 acts within its gates. */
export type Level = 1 | 2 | 3

/** Of a run that states none. */
export const defaultLevel: Level = 2

export const levelNames: Readonly<Record<Level, string>> = {
  1: 'L1-report',
  2: 'L2-assisted',
  3: 'L3-unattended',
}
