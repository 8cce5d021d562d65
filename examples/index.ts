import { budgetExample } from './budget.ts'
import type { Example } from './example.ts'
import { fanOutExample } from './fan-out.ts'
import { ownAgentExample } from './own-agent.ts'
import { ownCheckExample } from './own-check.ts'
import { ownHookExample } from './own-hook.ts'
import { ownToolExample } from './own-tool.ts'
import { publishExample } from './publish.ts'
import { rateLimitExample } from './rate-limit.ts'
import { repairExample } from './repair.ts'

export type { Example } from './example.ts'

/** Every example by name; the proofs run all of them. */
export const examples: Readonly<Record<string, Example>> = {
  repair: repairExample,
  'fan-out': fanOutExample,
  publish: publishExample,
  budget: budgetExample,
  'rate-limit': rateLimitExample,
  'own-agent': ownAgentExample,
  'own-tool': ownToolExample,
  'own-check': ownCheckExample,
  'own-hook': ownHookExample,
}
