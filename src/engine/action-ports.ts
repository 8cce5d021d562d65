/** What judges actions and what performs them, as the engine sees it. */

import type {
  Action,
  ActionFacts,
  CertificateId,
  Receipt,
  RunId,
  StepContext,
  StepId,
  TreeId,
} from '../loop/index.ts'

/**
 * Performs actions. Contract: a `FaultError` means that nothing happened. After any other error, and after a crash,
 * `find` looks the action up by its idempotency key.
 */
export interface Actions {
  perform(action: Action, key: string, context: ActionContext): Promise<Receipt>
  find(action: Action, key: string, context: ActionContext): Promise<ActionLookup>
}

/** What an executor knows about the run that acts. */
export interface ActionContext extends StepContext {
  readonly run: RunId
  /** The files as of the last step. Absent: the run has no workspace. */
  readonly tree?: TreeId
  readonly base?: TreeId
  /** Of exactly these files. Absent: they are not certified. */
  readonly certificate?: CertificateId
  /** E10. Rejects if another process drives the run by now. Call it immediately before a ref moves. */
  fence(): Promise<void>
}

/** What an action's `find` knows about an action whose result was lost in a crash. */
export type ActionLookup =
  | { readonly type: 'done'; readonly receipt: Receipt }
  | { readonly type: 'not-done' }
  | { readonly type: 'unknown' }

/** E6. No action is performed without a gate. */
export interface Gate {
  judge(action: Action, at: StepPlace, facts: ActionFacts): Promise<Verdict>
}

/** A step of a run, independent of the attempt. */
export interface StepPlace {
  readonly iteration: number
  readonly step: StepId
}

/** What a gate decides about an action. `rule` names what decided. */
export type Verdict =
  | { readonly type: 'allow'; readonly rule?: string }
  | { readonly type: 'deny' | 'ask'; readonly reason: string; readonly rule?: string }
