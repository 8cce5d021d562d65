/**
 * The chores of the catalog. Each is a loop file of the package, `catalog/<name>.yaml`, and what its schedule needs to know:
 * loop files have no cadence, because the same loop may run at several times, or only by hand.
 */

export interface CatalogLoop {
  readonly name: string
  /** How often it runs, as `loopctl schedule add` takes it. */
  readonly cadence: string
  /** The suggested limit of tokens for all of its rounds in a day. */
  readonly dailyTokens: number
}

export const catalogLoops: readonly CatalogLoop[] = [
  { name: 'daily-triage', cadence: 'daily 09:00', dailyTokens: 100_000 },
  { name: 'pr-babysitter', cadence: 'every 10m', dailyTokens: 2_000_000 },
  { name: 'ci-sweeper', cadence: 'every 10m', dailyTokens: 1_000_000 },
  { name: 'dependency-sweeper', cadence: 'daily 04:00', dailyTokens: 500_000 },
  { name: 'changelog-drafter', cadence: 'daily 18:00', dailyTokens: 100_000 },
  { name: 'post-merge-cleanup', cadence: 'every 6h', dailyTokens: 200_000 },
  { name: 'issue-triage', cadence: 'every 2h', dailyTokens: 80_000 },
]
