/** The certification settings of a loop file, for the code that creates the clean checkout. */

import type { Agents } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import type { ExistingFailure, SandboxSummary } from '../../loop/index.ts'
import type { CertifySettings, SandboxSettings, SealSettings } from '../../protocol/index.ts'
import type { OpenContext } from '../open-context.ts'

export interface CertifyingParts {
  /** Globs of the loop file. Empty or absent: derived from the manifests of the base. */
  readonly scope?: readonly string[]
  readonly seals: SealSettings
  readonly certify: CertifySettings
  /** The model that the loop file names for its agent. */
  readonly model?: string
  /** The sandbox tier that the loop file requires. */
  readonly require?: SandboxSettings['require']
  /** How to treat failures from before the run, by check. Absent: they must be fixed. */
  readonly existing?: Readonly<Record<string, ExistingFailure>>
  /** Files that the commands of the checks name. They are sealed. */
  readonly sealedFiles: readonly string[]
  /** Starts to hash the programs of the checks, which `open` needs. Call it early; it never throws. */
  readAhead?(): void
  /** Opens the checks again, in a separate sandbox for this folder. Close it afterwards. */
  open(place: CertifyingFolder): Promise<OpenedChecks>
}

export interface CertifyingFolder
  extends Pick<OpenContext, 'layer' | 'untrusted' | 'workspaceOverlay'> {
  readonly workspace: string
  /** Also mounted, read-only: absolute paths. */
  readonly readOnly?: readonly string[]
  /** Folders of programs in the dependency layer, as paths outside the sandbox. */
  readonly programs?: readonly string[]
  readonly signal?: AbortSignal
}

export interface OpenedChecks {
  /** In the order of the file. */
  readonly checks: readonly OpenCheck[]
  /** Judges (`judge:<check>`) and consultants (`consult:<name>`). */
  readonly agents: Agents
  readonly sandbox: SandboxSummary
  close(): Promise<void>
}
