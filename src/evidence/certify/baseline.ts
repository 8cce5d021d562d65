/**
 * What the checks said before the run began: on the base, in the same clean place. Nothing is certified by
 * it, so it is kept for the next time.
 */

import type { CheckStatus, TestCounts, TreeId } from '../../loop/index.ts'
import type { CertifyingPlace, Layer, OpenCheck } from '../parts.ts'
import { digestOf } from './digest.ts'
import { type RunRequest, runChecks } from './run-checks.ts'

export interface Baseline {
  readonly status: CheckStatus
  readonly counts?: TestCounts
  /** By which two failures can be told to be the same. */
  readonly signature: string
  /** Files of the base that the check changes. */
  readonly written?: readonly string[]
  /** Why it could not run, and what to do. Never kept: it may run the next time. */
  readonly cannotRun?: string
}

/** Kept by key. What cannot be read is not there. */
export interface Baselines {
  read(key: string): Promise<Baseline | undefined>
  write(key: string, baseline: Baseline): Promise<void>
}

/** Of all that an answer depends on: what was answered before any of it changed says nothing now. */
export const baselineKey = (
  base: TreeId,
  check: Pick<OpenCheck, 'name' | 'describes' | 'toolDigest' | 'surroundings'>,
  layer: Layer,
): string =>
  digestOf(
    [
      base,
      check.name,
      ...check.describes,
      check.toolDigest,
      layer.digest,
      check.surroundings ?? '',
    ].join('\0'),
  )

/** Only of commands: what a judge said of another tree tells nothing of this one. */
export async function baselineOf(
  base: TreeId,
  check: OpenCheck,
  place: CertifyingPlace,
  run: Pick<RunRequest, 'context' | 'now'>,
  baselines: Baselines,
): Promise<Baseline | undefined> {
  if (check.kind !== 'command') return undefined
  const key = baselineKey(base, check, place.layer)
  const known = await baselines.read(key)
  if (known !== undefined) return known
  const at = place.checks.indexOf(check)
  // With what the checks before it make for it.
  const makers = place.checks.slice(0, Math.max(0, at)).filter(({ outputs }) => outputs.length > 0)
  const all = await runChecks({ ...run, place, tree: base, findsWritten: true }, [...makers, check])
  const ran = all.at(-1)
  if (ran === undefined) return undefined
  const { status, counts, output, cannotRun } = ran.result
  const baseline: Baseline = {
    status,
    ...(counts === undefined ? {} : { counts }),
    signature: signatureOf(output),
    ...(ran.written === undefined ? {} : { written: ran.written }),
    ...(cannotRun === undefined ? {} : { cannotRun }),
  }
  // One that was cut short says nothing of the next time.
  if (status === 'met' || status === 'not-met') await baselines.write(key, baseline)
  return baseline
}

/** Times, numbers of processes and temporary names differ from one run to the next. */
export const signatureOf = (output: string): string =>
  digestOf(
    output
      .replaceAll(/\d+(?:\.\d+)?/g, '#')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )

/** It fails as it did, and no more of it does. */
export function isNoWorse(
  now: { readonly output: string; readonly counts?: TestCounts },
  base: Baseline,
): boolean {
  if (base.status !== 'not-met') return false
  if (now.counts !== undefined && base.counts !== undefined) {
    return now.counts.failed <= base.counts.failed && now.counts.passed >= base.counts.passed
  }
  return signatureOf(now.output) === base.signature
}
