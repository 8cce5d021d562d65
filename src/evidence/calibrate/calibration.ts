/** How often checks err, as far as was measured: what a calibration finds, in numbers. */

import { createHash } from 'node:crypto'
import type { CheckKind, ErrorRates, TreeId } from '../../loop/index.ts'
import type { OpenCheck } from '../parts.ts'

export interface Calibration extends ErrorRates {
  readonly atMs: number
  /** What it was measured on. */
  readonly tree: TreeId
  readonly seed: number
}

export interface CheckCalibration extends ErrorRates {
  readonly check: string
  readonly kind: CheckKind
  /** Of what was asked and how: another program, tool, prompt or model is another check. */
  readonly digest: string
}

export interface CalibrationReport {
  readonly loop: string
  readonly tree: TreeId
  readonly commit?: string
  readonly seed: number
  readonly atMs: number
  readonly durationMs: number
  readonly checks: readonly CheckCalibration[]
  /** All of them: work passes when each lets it pass. */
  readonly together: ErrorRates
  /** What no check noticed. */
  readonly survivors: readonly Survivor[]
  /** Good work that was turned away, and by whom. */
  readonly turnedAway: readonly TurnedAway[]
  readonly planted: number
  readonly revertedFixes: number
  readonly good: number
  /** Why there was less of it than was asked for. */
  readonly stopped?: Stopped
  readonly costMicros: number
}

/** `defects`: there was nothing more to plant. */
export type Stopped = 'time' | 'cost' | 'defects'

export interface Survivor {
  readonly source: 'planted' | 'reverted-fix'
  readonly file: string
  readonly line: number
  readonly description: string
}

export interface TurnedAway {
  readonly what: string
  readonly checks: readonly string[]
}

/** The same for the same question to the same program, tool or model. */
export function checkDigest({
  kind,
  describes,
  toolDigest,
}: Pick<OpenCheck, 'kind' | 'describes' | 'toolDigest'>): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, describes, toolDigest]))
    .digest('hex')
}
