/** What the policy answered during a run: each answer with its rule and its numbers. */

import type { RunRow, Store } from '../../engine/index.ts'
import type { PolicyDecided, PolicyInEffect } from '../../loop/index.ts'

export interface PolicyExplanation {
  readonly run: Pick<RunRow, 'id' | 'name' | 'status'>
  /** The rules as of its last start. Absent: no policy applies. */
  readonly policy?: PolicyInEffect
  /** In order. Tool calls that were allowed are only counted. */
  readonly rulings: readonly ExplainedRuling[]
  readonly allowedCalls: readonly AllowedCalls[]
}

export type ExplainedRuling = Omit<PolicyDecided, 'type'> & {
  readonly seq: number
  readonly atMs: number
}

export interface AllowedCalls {
  readonly tool: string
  readonly rules: readonly string[]
  readonly times: number
}

/** Rejects with `unknown-run` or `ambiguous-run`. */
export async function explainPolicy(
  journal: Pick<Store, 'findRun' | 'read'>,
  idOrName: string,
): Promise<PolicyExplanation> {
  const { id, name, status } = await journal.findRun(idOrName)
  const rulings: ExplainedRuling[] = []
  const allowed = new Map<string, AllowedCalls>()
  let policy: PolicyInEffect | undefined
  for (const { seq, atMs, event } of await journal.read(id)) {
    if (event.type === 'run-started') policy = event.policy
    if (event.type === 'policy-decided') {
      const { type: _type, ...ruling } = event
      rulings.push({ seq, atMs, ...ruling })
    }
    if (event.type !== 'step-noted' || event.note.type !== 'tool-called') continue
    const { tool, policy: rules, error } = event.note
    if (rules === undefined || error === 'denied-by-policy') continue
    const key = JSON.stringify([tool, rules])
    allowed.set(key, { tool, rules, times: (allowed.get(key)?.times ?? 0) + 1 })
  }
  return {
    run: { id, name, status },
    ...(policy === undefined ? {} : { policy }),
    rulings,
    allowedCalls: [...allowed.values()],
  }
}
