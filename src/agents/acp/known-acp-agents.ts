/**
 * Starting an agent program for ACP: what leads it to its model when it is started headless, and what its own file
 * adds. As tried with the versions there.
 *
 * Where a program asks before it does something, it is made to ask us: the rule of the loop file answers.
 */

import { defined } from '../../loop/index.ts'
import type { AcpLaunch, AgentProgram, LaunchOptions } from '../programs/agent-program.ts'
import type { Permissions } from './permissions.ts'

/** `args` come behind those that the program always has for ACP. */
export function acpLaunch(
  program: AgentProgram,
  options: Omit<LaunchOptions, 'prompt'>,
  permissions: Permissions,
): AcpLaunch {
  const headless = program.launch({ ...options, prompt: '', args: [] })
  const { env, settings } = headless
  const special = program.acp?.launch(headless, options, permissions) ?? {}
  return {
    ...special,
    args: [...(special.args ?? []), ...options.args],
    env: { ...env, ...special.env },
    ...defined({ settings }),
  }
}
