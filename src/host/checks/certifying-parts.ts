/** What a loop file says of certifying, for whoever makes a clean place to do it in. */

import type { Agents } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import type { Walls } from '../../loop/index.ts'
import type { CertifySettings, SealSettings } from '../../protocol/index.ts'

export interface CertifyingParts {
  readonly seals: SealSettings
  readonly certify: CertifySettings
  /** Files that the commands of the checks name: they are sealed. */
  readonly names: readonly string[]
  /** Opens the checks anew, in walls of their own around this folder. Close it afterwards. */
  open(place: CertifyingFolder): Promise<OpenedChecks>
}

export interface CertifyingFolder {
  readonly workspace: string
  /** Seen besides, and not to be changed: the dependency layer; whole paths. */
  readonly readOnly?: readonly string[]
  readonly signal?: AbortSignal
}

export interface OpenedChecks {
  /** In the order of the file. */
  readonly checks: readonly OpenCheck[]
  /** Judges (`judge:<check>`) and those who are consulted (`consult:<name>`). */
  readonly agents: Agents
  readonly walls: Walls
  close(): Promise<void>
}
