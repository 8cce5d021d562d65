/**
 * How much of a long suite runs: all of it in `npm run proof` (which knows the files from
 * proof/long-suites.ts) and with LOOPWRIGHT_SUITES=all, a part of it in `npm test`.
 */

import { describe, test } from 'vitest'

export const isWhole: boolean = process.env['LOOPWRIGHT_SUITES'] === 'all'

export const share = <T>(whole: T, part: T): T => (isWhole ? whole : part)

/** A case that only the proof runs; `npm test` does not register it. */
export function testInProof(
  name: string,
  body: () => Promise<void> | void,
  timeoutMs?: number,
): void {
  if (isWhole) test(name, body, timeoutMs)
}

/** The same for a group of cases. */
export function describeInProof(name: string, body: () => void): void {
  if (isWhole) describe(name, body)
}
