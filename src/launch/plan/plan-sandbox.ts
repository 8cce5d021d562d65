/** The sandbox that a run would have, and whether it is strong enough. */

import type { Plan } from '../../protocol/api/index.ts'
import type { SandboxSettings } from '../../protocol/index.ts'
import { openSandbox } from '../../sandbox/index.ts'

const strength = { none: 0, basic: 1, strong: 2 } as const

export async function planSandbox(
  { require }: Pick<SandboxSettings, 'require'>,
  attended: boolean,
): Promise<NonNullable<Plan['sandbox']>> {
  if (require === 'none') {
    const problem = attended
      ? 'no sandbox, as set in the loop file'
      : 'the loop file disables the sandbox, but the run is unattended: it would be refused'
    return { tier: 'none', needed: 'none', problem }
  }
  const { tier, reason, fix } = (await openSandbox()).report
  const needed = require ?? (attended ? 'none' : 'strong')
  const words = [reason, fix].filter((part) => part !== undefined).join(' ')
  const isEnough = strength[tier] >= strength[needed]
  return {
    tier,
    needed,
    ...(tier === 'strong' ? {} : { problem: isEnough ? words : `it would be refused. ${words}` }),
  }
}
