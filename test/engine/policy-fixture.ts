// A policy of the engine's tests: rules as a function, and what it was asked.

import type { Policy } from '../../src/engine/index.ts'
import type { PolicyRequest, PolicyRuling } from '../../src/loop/index.ts'

export const allow: PolicyRuling = { decision: 'allow', rules: ['base'] }

export interface FakePolicy extends Policy {
  readonly asked: PolicyRequest[]
}

export function policyOf(
  judge: (request: PolicyRequest) => PolicyRuling,
  digest = 'one',
): FakePolicy {
  const asked: PolicyRequest[] = []
  return {
    asked,
    inEffect: { digest, mode: 'enforce', files: [{ file: 'a.cedar', mode: 'enforce' }] },
    judge(request) {
      asked.push(request)
      return judge(request)
    },
  }
}
