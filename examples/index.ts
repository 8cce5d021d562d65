import { budgetExample } from './budget.ts'
import type { Example } from './example.ts'
import { fanOutExample } from './fan-out.ts'
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
}
