/** What a loop may do outside of its workspace, as the program uses it. */

import type { Json, LevelSetting } from '../../loop/index.ts'

export interface AuthoritySettings {
  /** 1 reports, 2 proposes actions, 3 acts within its gate. */
  readonly level: LevelSetting
  readonly gate: GateSettings
  /** Requested in this order once the work is certified. */
  readonly actions: readonly ActionSettings[]
  /** At level 1 its agents may only read, and at level 3 it needs a strong sandbox. */
  readonly readsAtLevel1?: true
  /** The action that its loop type proposes once the work is verified. Absent: none. */
  readonly proposes?: ProposalSettings
  /** Certified work needs no person to be merged into the branch that the loop type chooses, from level 2. */
  readonly mergesWhenCertified?: true
}

export type GateSettings =
  | { readonly type: 'always-escalate' }
  | { readonly type: 'policy' }
  | {
      readonly type: 'allow-list'
      readonly allow: readonly string[]
      /** Globs: a change to one of these paths needs a person. */
      readonly deny: readonly string[]
      readonly maxFiles: number
      readonly maxCostMicros?: number
    }

export type ActionSettings =
  | MergeActionSettings
  | { readonly kind: 'commit'; readonly branch?: string; readonly message?: string }
  | { readonly kind: 'apply-patch' }
  | OpenPrActionSettings
  | {
      readonly kind: 'comment'
      /** The number of an issue or a pull request. Absent: the agent that proposes it chooses one. */
      readonly on?: number
      readonly remote: string
      readonly text?: string
    }
  | { readonly kind: 'draft'; readonly text?: string }
  | WebhookActionSettings
  | NotifyActionSettings
  | {
      readonly kind: 'start-run'
      /** As written: relative to the folder of the file. */
      readonly loop: string
      readonly input: { readonly [name: string]: Json }
    }
  | { readonly kind: 'clean-up' }
  | CommandActionSettings

/** An action that a loop type proposes. `report`: nothing but to be read. */
export type ProposalSettings = ActionSettings | { readonly kind: 'report' } | EditProposal

/** A change of the files that a loop tunes. No file names it: its loop type proposes it. */
export interface EditProposal {
  readonly kind: 'edit-artifacts'
  /** The loop file says when it happens, so no person is asked from level 2. */
  readonly isChosen: boolean
}

export interface MergeActionSettings {
  readonly kind: 'merge'
  /** Absent: the branch that the loop type chooses, otherwise `agent/<loop>`. */
  readonly into?: string
  readonly strategy: 'squash' | 'merge' | 'none'
  /** No file or person asked for it, so a run without a worktree leaves it out. */
  readonly isDefault?: true
}

export interface OpenPrActionSettings {
  readonly kind: 'open-pr'
  /** Absent: the branch that the run began from. */
  readonly base?: string
  readonly remote: string
  readonly title?: string
  readonly body?: string
  readonly draft: boolean
}

export interface WebhookActionSettings {
  readonly kind: 'webhook'
  readonly url: string
  /** The variable with a bearer token. */
  readonly tokenEnv?: string
  /** The receiver ignores a second request with the same Idempotency-Key. */
  readonly idempotent: boolean
  readonly timeoutMs: number
}

export interface NotifyActionSettings {
  readonly kind: 'notify'
  readonly by:
    | { readonly type: 'desktop' | 'terminal' }
    | { readonly type: 'webhook'; readonly url: string }
    | { readonly type: 'command'; readonly command: readonly string[] }
  readonly text?: string
}

/** Runs in the sandbox of the loop. */
export interface CommandActionSettings {
  readonly kind: 'command'
  readonly command: readonly string[]
  /** Exits with 0 if the action was done, with 1 if not. */
  readonly find?: readonly string[]
  readonly env: readonly string[]
  readonly timeoutMs: number
}

export const actionKinds: readonly ActionSettings['kind'][] = [
  'merge',
  'commit',
  'apply-patch',
  'open-pr',
  'comment',
  'draft',
  'webhook',
  'notify',
  'start-run',
  'clean-up',
  'command',
]
