/**
 * What it takes to speak ACP with an agent program, besides the settings that connect it to its
 * model when it runs headless. Tested with the versions in the programs' files.
 *
 * Where a program asks for permission, it is configured to ask us: the rule in the loop file
 * answers.
 */

import { defined, type Json } from '../../loop/index.ts'
import type { AgentProgram, Launch, LaunchOptions, ProgramName } from '../programs/agent-program.ts'
import type { AcpAgentOptions } from './acp-agent.ts'
import type { Permissions } from './permissions.ts'

export interface AcpLaunch
  extends Pick<Launch, 'args' | 'env' | 'settings'>,
    Pick<AcpAgentOptions, 'mode' | 'sessionMeta' | 'title'> {}

/** `args` follow those that the program always needs for ACP. */
export function acpLaunch(
  program: AgentProgram,
  options: Omit<LaunchOptions, 'prompt'>,
  permissions: Permissions,
): AcpLaunch {
  const headless = program.launch({ ...options, prompt: '', args: [] })
  const { env, settings } = headless
  const specific = acpSettings[program.name](headless, options, permissions)
  return {
    ...specific,
    args: [...(specific.args ?? []), ...options.args],
    env: { ...env, ...specific.env },
    ...defined({ settings }),
  }
}

type AcpSettings = (
  headless: Launch,
  options: Pick<LaunchOptions, 'model'>,
  permissions: Permissions,
) => Partial<AcpLaunch>

const acpSettings: Readonly<Record<ProgramName, AcpSettings>> = {
  /**
   * The adapter starts Claude Code through its SDK. By default it would read the settings of the
   * repository, including hooks and addresses, and those decide whether it asks at all.
   */
  claude: (_headless, { model }) => ({
    env: { ANTHROPIC_MODEL: model },
    mode: 'default',
    sessionMeta: {
      claudeCode: {
        options: {
          settingSources: ['user'],
          strictMcpConfig: true,
          additionalDirectories: ['.'],
        },
      },
    },
  }),
  /**
   * Codex runs commands in its own sandbox, which cannot be created inside ours. So it either runs
   * without one and without asking, or it can do little more than read. Without a title it asks
   * another model for one after the work, and that call is charged although it is cut off.
   */
  codex: ({ args }, { model }, permissions) => ({
    env: {
      CODEX_CONFIG: JSON.stringify({ model, ...parseConfig(args) }),
      INITIAL_AGENT_MODE: permissions === 'all' ? 'agent-full-access' : 'read-only',
      NO_BROWSER: '1',
    },
    title: 'loop',
  }),
  opencode: () => ({
    env: {
      OPENCODE_PERMISSION: JSON.stringify({
        '*': 'ask',
        webfetch: 'deny',
        websearch: 'deny',
        question: 'deny',
      }),
    },
  }),
  gemini: (_headless, { model }) => ({ args: ['--model', model] }),
}

/** Its command-line settings, as one object. */
function parseConfig(args: readonly string[]): Readonly<Record<string, Json>> {
  const config: Record<string, unknown> = {}
  for (const arg of args) {
    const [, path, value] = /^--config=([^=]+)=(.*)$/s.exec(arg) ?? []
    if (path !== undefined && value !== undefined) setAt(config, path.split('.'), JSON.parse(value))
  }
  return config as Record<string, Json>
}

function setAt(
  into: Record<string, unknown>,
  [name = '', ...inner]: string[],
  value: unknown,
): void {
  if (inner.length === 0) {
    into[name] = value
    return
  }
  const next = (into[name] ?? {}) as Record<string, unknown>
  into[name] = next
  setAt(next, inner, value)
}
