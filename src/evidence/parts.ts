/**
 * What certifying needs of the world. `host/` fills these from `workspace/`, `sandbox/`, `agents/` and
 * the record; nothing here knows git, a sandbox or a stack.
 */

import type { Agents, Check, CheckContext } from '../engine/index.ts'
import type { CheckKind, ExistingFailure, Signal, TreeId, Walls } from '../loop/index.ts'
import type { Observation, ObserveOptions } from './observe/observation.ts'

/** Files to be put over a tree; null: it is taken away. */
export type Overlay = ReadonlyMap<string, PutFile | null>

export interface PutFile {
  readonly content: Uint8Array
  readonly kind: 'file' | 'executable' | 'link'
}

/** A clean place, which no agent has seen. */
export interface Checkout {
  readonly path: string
  /**
   * Makes it the tree with the overlay put over it, and nothing else but the dependency layer and, of what
   * is there, `keep`: paths that an earlier check made for a later one.
   */
  reset(
    tree: TreeId,
    options?: { readonly over?: Overlay; readonly keep?: readonly string[] },
  ): Promise<void>
  /** Files of the tree, or of what was put over it, that are others since `reset`; some of them. */
  written(): Promise<readonly string[]>
  remove(): Promise<void>
}

/** What can be observed of the files of a checkout. */
export interface Observable {
  readonly reads: boolean
  readonly writes: boolean
  /** Why not more, in a sentence. */
  readonly reason: string
}

/** Something of a layer that is not fetched or run before a person has approved exactly it. */
export interface DependencyItem {
  readonly kind: DependencyKind
  /** Over its content: another version or another script is another item. */
  readonly id: string
  /** For people, in one line. */
  readonly text: string
  readonly approved?: { readonly by: string; readonly atMs: number }
  /** What a check prints if it is this that it lacks; absent: any failure may be. */
  readonly mentions?: string
}

/** A package from git or an address; a script of a package; versions that no lockfile names. */
export type DependencyKind = 'dependency-source' | 'install-script' | 'resolve-dependencies'

/** What a person has approved, and has not. */
export interface DependencyApprovals {
  /** All that installing from this tree's lockfile takes an approval for. */
  needed(tree: TreeId, signal: Signal): Promise<readonly DependencyItem[]>
  /** Remembered: the same items are not asked about again. */
  approve(items: readonly DependencyItem[], by: string): Promise<void>
}

/** What the checks need besides the tree: installed from a lockfile by us, and read-only for them. */
export interface Layer {
  /** `none`: the tree names no dependencies. */
  readonly from: 'installed' | 'carried' | 'none'
  /** Over what it was made from and what is in it. */
  readonly digest: string
  /** For people: `npm, 214 packages`. */
  readonly summary: string
  /** When and to what dependencies without a lockfile were resolved. */
  readonly resolved?: { readonly at: string; readonly digest: string }
  /** What was approved and is in it. */
  readonly approved?: readonly DependencyItem[]
  /** What could be in it, and needs an approval first. */
  readonly lacks?: readonly DependencyItem[]
}

/** One check, ready to be run in a checkout. */
export interface OpenCheck {
  readonly name: string
  readonly kind: CheckKind
  readonly run: Check
  /** Runs it once and observes its tests and the files that it reads and writes. Absent: it is not a command. */
  readonly observe?: (context: CheckContext, options?: ObserveOptions) => Promise<Observation>
  /** For the certificate: the program and arguments, a tool, a judge. */
  readonly describes: readonly string[]
  /** Digest of the program, of the tool's schema, of the judge's prompt and model. */
  readonly toolDigest: string
  /** Digest of its environment, the sandbox, the toolchains and the repository. Absent: it is code. */
  readonly surroundings?: string
  /** What becomes of a failure that was there before the run began. */
  readonly existing: ExistingFailure
  /** Paths that it makes and later checks need. */
  readonly outputs: readonly string[]
  /** Files of the tree that the command itself names: they are sealed. */
  readonly names: readonly string[]
}

/** A checkout with its layer and its checks, walled in anew. */
export interface CertifyingPlace {
  readonly checkout: Checkout
  readonly layer: Layer
  readonly checks: readonly OpenCheck[]
  /** Judges (`judge:<name>`) and those who are consulted (`consult:<name>`), who work in the checkout. */
  readonly agents?: Agents
  /** Around whatever is started there. */
  readonly walls?: Walls
  /** Absent: nothing can be observed. */
  readonly observes?: Observable
  close(): Promise<void>
}

export interface PlaceRequest {
  readonly tree: TreeId
  readonly commit?: string
  /** Whose lockfile is trusted: the base's, or the tree's own once a person has approved of it. */
  readonly lockfileOf: TreeId
  readonly signal: Signal
}
