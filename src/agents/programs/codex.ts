/**
 * Codex, headless.
 *
 * `.codex/config.toml` in a repository can start MCP servers, since Codex trusts the folder that it
 * is started in; with `--ignore-user-config` it reads no project settings either. Its own sandbox
 * cannot be created inside ours, so it is told that there is one. Telemetry is turned off: without
 * a network each attempt waits for seconds.
 */

import type { Json } from '../../loop/index.ts'
import type { Permissions } from '../acp/permissions.ts'
import type { AcpLaunch, AgentProgram, Launch, LaunchOptions } from './agent-program.ts'
import { codexReader } from './codex-reader.ts'

export const codex: AgentProgram = {
  name: 'codex',
  package: { name: '@openai/codex', version: '0.166.0' },
  provider: 'openai',
  model: 'gpt-5.5',
  capabilities: { usage: 'gateway', limits: [], resumes: true, streams: true, mcp: true },
  // Skills in a repository would be shown to the model as trusted.
  hides: ['.codex', '.agents'],
  acp: {
    command: 'codex-acp',
    args: [],
    package: { name: '@agentclientprotocol/codex-acp', version: '2.6.0' },
    launch: acpLaunch,
  },
  launch,
  reader: codexReader,
}

/** The name under which it knows the gateway, and the variable that holds the token. */
const provider = 'loopwright'
const tokenVariable = 'LOOPWRIGHT_SESSION'

function launch({ prompt, model, url, token, home, args }: LaunchOptions): Launch {
  const settings = {
    model_provider: provider,
    [`model_providers.${provider}.name`]: 'Loopwright',
    [`model_providers.${provider}.base_url`]: `${url}/v1`,
    [`model_providers.${provider}.env_key`]: tokenVariable,
    [`model_providers.${provider}.wire_api`]: 'responses',
    // The gateway has already retried.
    [`model_providers.${provider}.request_max_retries`]: 1,
    [`model_providers.${provider}.stream_max_retries`]: 2,
    'analytics.enabled': false,
    'otel.metrics_exporter': 'none',
    check_for_update_on_startup: false,
    // Provider-side searches are hidden input, and there is no network anyway.
    web_search: 'disabled',
    'features.plugins': false,
    'features.apps': false,
    'features.hooks': false,
  }
  return {
    args: [
      'exec',
      '--json',
      '--color=never',
      `--model=${model}`,
      '--dangerously-bypass-approvals-and-sandbox',
      '--skip-git-repo-check',
      '--ephemeral',
      '--ignore-user-config',
      '--ignore-rules',
      // Strings, numbers and booleans are the same in TOML and JSON.
      ...Object.entries(settings).map(([key, value]) => `--config=${key}=${JSON.stringify(value)}`),
      ...args,
      '-',
    ],
    env: {
      HOME: home,
      CODEX_HOME: home,
      [tokenVariable]: token,
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    },
    input: prompt,
  }
}

/**
 * Its own sandbox cannot be created inside ours. So either its sandbox is off and it asks for no permission, or it can
 * do little more than read. Without a title it asks another model for one after the work, and that call is paid even
 * when it is cut off.
 */
function acpLaunch(
  { args }: Launch,
  { model }: Pick<LaunchOptions, 'model'>,
  permissions: Permissions,
): Partial<AcpLaunch> {
  return {
    env: {
      CODEX_CONFIG: JSON.stringify({ model, ...configOf(args) }),
      INITIAL_AGENT_MODE: permissions === 'all' ? 'agent-full-access' : 'read-only',
      NO_BROWSER: '1',
    },
    title: 'loop',
  }
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
