/**
 * How much of a long suite runs: all of it in `npm run proof` (which knows the files from
 * proof/long-suites.ts) and with LOOPWRIGHT_SUITES=all, a part of it in `npm test`.
 */

export const isWhole: boolean = process.env['LOOPWRIGHT_SUITES'] === 'all'

export const share = <T>(whole: T, part: T): T => (isWhole ? whole : part)

/** `test.each(inProof)(…)`: a case that only the proof runs. `npm test` does not register it. */
export const inProof: readonly string[] = share(['in the proof'], [])
