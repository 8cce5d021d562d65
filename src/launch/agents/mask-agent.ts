/** Masks secrets in everything that is recorded of an agent. */

import type { Agent } from '../../agents/index.ts'
import { createSecrets } from '../../gateway/index.ts'
import { FaultError, textOf } from '../../loop/index.ts'
import { type Mask, maskDeep } from '../../system/mask.ts'

/** Masks these secrets in its notes, reports and errors. */
export function maskAgent(agent: Agent, secrets: readonly string[]): Agent {
  if (secrets.length === 0) return agent
  const mask: Mask = createSecrets([], secrets).maskText
  return {
    async work(task, context) {
      const maskedContext = {
        ...context,
        note: (note: Parameters<typeof context.note>[0]) => context.note(maskDeep(mask, note)),
      }
      try {
        return maskDeep(mask, await agent.work(task, maskedContext))
      } catch (error) {
        if (error instanceof FaultError) throw new FaultError(maskDeep(mask, error.fault))
        const text = textOf(error)
        throw mask(text) === text ? error : new Error(mask(text))
      }
    },
  }
}
