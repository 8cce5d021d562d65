/**
 * Starts an agent program for ACP: the settings that connect it to its model when it runs headless,
 * and what the program's own file adds. Tested with the versions in those files.
 *
 * Where a program asks for permission, it is configured to ask us: the rule in the loop file
 * answers.
 */

import { defined } from '../../loop/index.ts'
import type { AcpLaunch, AgentProgram, LaunchOptions } from '../programs/agent-program.ts'
import type { Permissions } from './permissions.ts'

/** `args` follow those that the program always needs for ACP. */
export function acpLaunch(
  program: AgentProgram,
  options: Omit<LaunchOptions, 'prompt'>,
  permissions: Permissions,
): AcpLaunch {
  const headless = program.launch({ ...options, prompt: '', args: [] })
  const { env, settings } = headless
  const specific = program.acp?.launch(headless, options, permissions) ?? {}
  return {
    ...specific,
    args: [...(specific.args ?? []), ...options.args],
    env: { ...env, ...specific.env },
    ...defined({ settings }),
  }
}
