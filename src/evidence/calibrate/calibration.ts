/** The result of a calibration: how often checks err. */

import { createHash } from 'node:crypto'
import type { CheckKind, ErrorRates, TreeId } from '../../loop/index.ts'
import type { OpenCheck } from '../parts.ts'

export interface Calibration extends ErrorRates {
  readonly atMs: number
  /** The tree that it was measured on. */
  readonly tree: TreeId
  readonly seed: number
}

export interface CheckCalibration extends ErrorRates {
  readonly check: string
  readonly kind: CheckKind
  /** Covers what is asked and how: a different program, tool, prompt or model is a different check. */
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
  /** All checks combined: work passes if every check accepts it. */
  readonly together: ErrorRates
  /** Defects that no check noticed. */
  readonly survivors: readonly Survivor[]
  /** Correct changes that checks rejected. */
  readonly turnedAway: readonly FalseReject[]
  readonly planted: number
  readonly revertedFixes: number
  readonly good: number
  /** Why fewer rounds were run than requested. */
  readonly stopped?: CalibrationLimit
  readonly costMicros: number
}

/** `defects`: nothing more could be planted. */
export type CalibrationLimit = 'time' | 'cost' | 'defects'

export interface Survivor {
  readonly source: 'planted' | 'reverted-fix'
  readonly file: string
  readonly line: number
  readonly description: string
}

export interface FalseReject {
  readonly what: string
  readonly checks: readonly string[]
}

/** Equal for the same question to the same program, tool or model. */
export function checkDigest({
  kind,
  command,
  toolDigest,
}: Pick<OpenCheck, 'kind' | 'command' | 'toolDigest'>): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, command, toolDigest]))
    .digest('hex')
}
