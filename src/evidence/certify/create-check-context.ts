/** The context of judges and commands during certification. */

import type { CheckContext } from '../../engine/index.ts'
import type { CertificationCheckout } from '../parts.ts'
import type { CertificationContext } from './certification.ts'
import { listDifferences } from './consult.ts'

const patchBytesMax = 60_000

export function createCheckContext(
  { parts, context, subject, tree, base }: CertificationContext,
  { agents, checkout }: CertificationCheckout,
): CheckContext {
  return {
    ...context,
    iteration: subject.iteration,
    workspace: checkout.path,
    work(role, task) {
      if (agents === undefined) throw new Error(`There is no agent for the role ${role}.`)
      return context.work(agents, role, task, checkout.path)
    },
    callTool: (name, args) => context.callTool(name, args),
    async changes() {
      const paths = await listDifferences(parts.reader, base, tree)
      return parts.reader.patch(base, tree, paths, patchBytesMax)
    },
  }
}
