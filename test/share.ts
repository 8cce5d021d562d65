/**
 * How much of a long sweep is told: all of it in `npm run proof` (which knows the files from
 * proof/long-suites.ts) and with LOOPWRIGHT_SUITES=all, a share of it in `npm test`.
 */

export const isWhole: boolean = process.env['LOOPWRIGHT_SUITES'] === 'all'

export const share = (whole: number, part: number): number => (isWhole ? whole : part)
