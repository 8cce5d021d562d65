/**
 * What has to be known of an agent program to speak ACP with it, besides what leads it to its model when it
 * is started headless. As tried with the versions in the files of the programs.
 *
 * Where a program asks before it does something, it is made to ask us: the rule of the loop file answers.
 */

import { defined, type Json } from '../../loop/index.ts'
import type { AgentProgram, Launch, LaunchOptions, ProgramName } from '../programs/agent-program.ts'
import type { AcpAgentOptions } from './acp-agent.ts'
import type { Permissions } from './permissions.ts'

export interface AcpLaunch
  extends Pick<Launch, 'args' | 'env' | 'settings'>,
    Pick<AcpAgentOptions, 'mode' | 'sessionMeta' | 'title'> {}

/** `args` come behind those that the program always has for ACP. */
export function acpLaunch(
  program: AgentProgram,
  options: Omit<LaunchOptions, 'prompt'>,
  permissions: Permissions,
): AcpLaunch {
  const headless = program.launch({ ...options, prompt: '', args: [] })
  const { env, settings } = headless
  const special = ways[program.name](headless, options, permissions)
  return {
    ...special,
    args: [...(special.args ?? []), ...options.args],
    env: { ...env, ...special.env },
    ...defined({ settings }),
  }
}

type Way = (
  headless: Launch,
  options: Pick<LaunchOptions, 'model'>,
  permissions: Permissions,
) => Partial<AcpLaunch>

const ways: Readonly<Record<ProgramName, Way>> = {
  /**
   * The adapter starts it by its SDK. It would read the settings of the repository, hooks and addresses
   * among them, and take from them whether it asks at all.
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
   * It runs what it runs in a sandbox of its own, which cannot be made inside ours. So either it is told
   * that it needs none, and asks nobody, or it can hardly do more than look. Without a title it asks
   * another model for one when the work is done, and pays for what is cut off then.
   */
  codex: ({ args }, { model }, permissions) => ({
    env: {
      CODEX_CONFIG: JSON.stringify({ model, ...configOf(args) }),
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

/** The settings that are given one by one on its command line, as one object. */
function configOf(args: readonly string[]): Readonly<Record<string, Json>> {
  const config: Record<string, unknown> = {}
  for (const arg of args) {
    const [, path, value] = /^--config=([^=]+)=(.*)$/s.exec(arg) ?? []
    if (path !== undefined && value !== undefined) put(config, path.split('.'), JSON.parse(value))
  }
  return config as Record<string, Json>
}

function put(into: Record<string, unknown>, [name = '', ...inner]: string[], value: unknown): void {
  if (inner.length === 0) {
    into[name] = value
    return
  }
  const next = (into[name] ?? {}) as Record<string, unknown>
  into[name] = next
  put(next, inner, value)
}
