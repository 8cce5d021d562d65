/**
 * What certification needs from outside. `launch/certify/` fills these from `workspace/`, `sandbox/`, `agents/` and the journal;
 * nothing here knows git, a sandbox or a stack.
 */

import type { Agents, Check, CheckContext } from '../engine/index.ts'
import type { CheckKind, ExistingFailure, SandboxSummary, Signal, TreeId } from '../loop/index.ts'
import type { Observation, ObserveOptions } from './observe/observation.ts'

/** Files to put on top of a tree; null: removed. */
export type Overlay = ReadonlyMap<string, OverlayFile | null>

export interface OverlayFile {
  readonly content: Uint8Array
  readonly kind: 'file' | 'executable' | 'link'
}

/** A clean checkout, which no agent has seen. */
export interface Checkout {
  readonly path: string
  /**
   * Makes it the tree with the overlay, plus the dependency layer and, of the existing files, `keep`: paths that an
   * earlier check created for a later one.
   */
  reset(
    tree: TreeId,
    options?: { readonly over?: Overlay; readonly keep?: readonly string[] },
  ): Promise<void>
  /** Files of the tree or the overlay that changed since `reset`; not necessarily all of them. */
  written(): Promise<readonly string[]>
  remove(): Promise<void>
}

/** What can be observed about the files of a checkout. */
export interface Observable {
  readonly reads: boolean
  readonly writes: boolean
  /** Why not more, in one sentence. */
  readonly reason: string
}

/** A part of a dependency layer that is not fetched or run before a person has approved exactly it. */
export interface DependencyItem {
  readonly kind: DependencyKind
  /** Covers its content: another version or script is another item. */
  readonly id: string
  /** One line for a human reader. */
  readonly text: string
  readonly approved?: { readonly by: string; readonly atMs: number }
  /** What a check prints if this item is missing. Absent: any failure may be due to it. */
  readonly mentions?: string
}

/** A package from git or a URL; an install script; versions that no lockfile pins. */
export type DependencyKind = 'dependency-source' | 'install-script' | 'resolve-dependencies'

/** The approvals of dependencies by a person. */
export interface DependencyApprovals {
  /** Everything in the lockfile of this tree that needs an approval to be installed. */
  needed(tree: TreeId, signal: Signal): Promise<readonly DependencyItem[]>
  /** Stored: the same items are not asked about again. */
  approve(items: readonly DependencyItem[], by: string): Promise<void>
}

/** A dependency layer: what the checks need besides the tree, installed by the engine and read-only for them. */
export interface DependencyLayer {
  /** `none`: the tree has no dependencies. */
  readonly from: 'installed' | 'carried' | 'none'
  /** Covers its sources and its content. */
  readonly digest: string
  /** For a human reader: `npm, 214 packages`. */
  readonly summary: string
  /** When dependencies without a lockfile were resolved, and to what. */
  readonly resolved?: { readonly at: string; readonly digest: string }
  /** Approved items that it contains. */
  readonly approved?: readonly DependencyItem[]
  /** Items that it could contain after an approval. */
  readonly lacks?: readonly DependencyItem[]
}

/** A check that is ready to run in a checkout. */
export interface OpenCheck {
  readonly name: string
  readonly kind: CheckKind
  readonly run: Check
  /** Runs it once and observes its tests and the files that it reads and writes. Absent: it is not a command. */
  readonly observe?: (context: CheckContext, options?: ObserveOptions) => Promise<Observation>
  /** For the certificate: the program and its arguments, a tool, or a judge. */
  readonly command: readonly string[]
  /** The digest of the program, of the tool's schema, or of the judge's prompt and model. */
  readonly toolDigest: string
  /** The digest of its environment, sandbox, toolchains and repository. Absent: it is code. */
  readonly environmentDigest?: string
  /** What to do about a failure that existed before the run. */
  readonly existing: ExistingFailure
  /** Paths that it creates for later checks. */
  readonly outputs: readonly string[]
  /** Files of the tree that the command itself names: these are sealed. */
  readonly names: readonly string[]
}

/** A clean checkout with its dependency layer and checks, in a new sandbox. */
export interface CertificationCheckout {
  readonly checkout: Checkout
  readonly layer: DependencyLayer
  readonly checks: readonly OpenCheck[]
  /** Judges (`judge:<name>`) and consultants (`consult:<name>`), which work in the checkout. */
  readonly agents?: Agents
  /** The sandbox of everything that is started there. */
  readonly sandbox?: SandboxSummary
  /** Absent: nothing can be observed. */
  readonly observes?: Observable
  close(): Promise<void>
}

export interface CertificationCheckoutRequest {
  readonly tree: TreeId
  readonly commit?: string
  /** The tree whose lockfile is trusted: the base, or the candidate once a person has approved it. */
  readonly lockfileTree: TreeId
  readonly signal: Signal
}
