/**
 * What a policy is asked and what it answers, as data. The rules themselves are in `authority/`; the engine asks, journals
 * the answer, and `decide` reads it from the state.
 *
 * A policy can only forbid: the limits of the run apply with every answer.
 */

/** What a policy rules on. `callToolUnattended`: no person watches the run. */
export type PolicyAction = 'iterate' | 'callTool' | 'callToolUnattended' | 'act'

/** Enforced, or only recorded. */
export type PolicyMode = 'enforce' | 'monitor'

/** The rules that apply to a run, as of its last start. */
export interface PolicyInEffect {
  /** Changes with every rule. */
  readonly digest: string
  /** `enforce` if at least one of the files is enforced. */
  readonly mode: PolicyMode
  readonly files: readonly { readonly file: string; readonly mode: PolicyMode }[]
}

/** The facts that rules can refer to: whole numbers only. */
export interface PolicyContext {
  /** The iteration that is asked about, from 1. */
  readonly iteration: number
  readonly tokens: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicros: number
  /** Working time of the run. */
  readonly elapsedMs: number
  /** Since the base. */
  readonly filesChanged: number
  /** Of these, files that are sealed. */
  readonly sealedTouched: number
  /** 1 if the current files are certified, otherwise 0. */
  readonly verified: number
  /** 1 report, 2 assisted, 3 unattended. */
  readonly level: number
}

/** What a policy is asked about. */
export interface PolicyRequest {
  readonly action: PolicyAction
  readonly loop: string
  /** The id of the run. */
  readonly run?: string
  /** The role of the agent. Absent: the loop itself. */
  readonly agent?: string
  /** The tool and its risk, or the kind of the action. Absent: the run. */
  readonly tool?: { readonly name: string; readonly risk: string }
  readonly actionKind?: string
  readonly context: PolicyContext
}

/** The answer of a policy. */
export interface PolicyRuling {
  readonly decision: 'allow' | 'deny'
  /** The ids of the rules that decided. Empty with `deny`: no rule permits it. */
  readonly rules: readonly string[]
  /** Why it is denied, for people. */
  readonly reason?: string
  /** Denied only by rules that are monitored: recorded, and allowed. */
  readonly isMonitored?: true
  /** The rules that could not be evaluated; each counts as a denial. */
  readonly errors?: readonly string[]
}

export const isDenied = ({ decision, isMonitored }: PolicyRuling): boolean =>
  decision === 'deny' && isMonitored !== true
