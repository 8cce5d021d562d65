/** What a loop file says about certification, for the code that makes the clean checkout. */

import type { Agents } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import type { ExistingFailure, SandboxSummary } from '../../loop/index.ts'
import type { CertifySettings, SandboxSettings, SealSettings } from '../../protocol/index.ts'
import type { OpenPlace } from '../launch-place.ts'

export interface CertifyingParts {
  /** Globs of the loop file. Empty or absent: derived from the manifests of the base. */
  readonly scope?: readonly string[]
  readonly seals: SealSettings
  readonly certify: CertifySettings
  /** That the loop file names for its agent. */
  readonly model?: string
  /** What the loop file wants of the sandbox. */
  readonly require?: SandboxSettings['require']
  /** What becomes of a failure that was there before the run began, by check. Absent: it is to be fixed. */
  readonly existing?: Readonly<Record<string, ExistingFailure>>
  /** Files that the commands of the checks name: they are sealed. */
  readonly names: readonly string[]
  /** Opens the checks anew, in walls of their own around this folder. Close it afterwards. */
  open(place: CertifyingFolder): Promise<OpenedChecks>
}

export interface CertifyingFolder
  extends Pick<OpenPlace, 'layer' | 'untrusted' | 'workspaceOverlay'> {
  readonly workspace: string
  /** Seen besides, and not to be changed: whole paths. */
  readonly readOnly?: readonly string[]
  /** Where programs of the dependency layer are outside. */
  readonly programs?: readonly string[]
  readonly signal?: AbortSignal
}

export interface OpenedChecks {
  /** In the order of the file. */
  readonly checks: readonly OpenCheck[]
  /** Judges (`judge:<check>`) and those who are consulted (`consult:<name>`). */
  readonly agents: Agents
  readonly sandbox: SandboxSummary
  close(): Promise<void>
}
