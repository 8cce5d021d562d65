import { allowListGate, alwaysEscalate, policyGate } from '../../authority/index.ts'
import type { Gate } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import type { GateSettings } from '../../protocol/index.ts'

/** The gate that a loop file describes. */
export function toGate(settings: GateSettings): Gate {
  if (settings.type === 'always-escalate') return alwaysEscalate
  if (settings.type === 'policy') return policyGate
  const { allow, deny, maxFiles, maxCostMicros } = settings
  return allowListGate({ allow, deny, maxFiles, ...defined({ maxCostMicros }) })
}
