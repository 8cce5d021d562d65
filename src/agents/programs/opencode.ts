/**
 * opencode, headless.
 *
 * Plug-ins listed in a repository's `opencode.json` or stored in `.opencode` are run whatever flags
 * and variables say, so both are hidden from it. All its settings come in one variable.
 */

import type { AgentProgram, Launch, LaunchOptions } from './agent-program.ts'
import { opencodeReader } from './opencode-reader.ts'

const version = '1.18.33'

export const opencode: AgentProgram = {
  name: 'opencode',
  package: { name: 'opencode-ai', version },
  provider: 'anthropic',
  otherProviders: ['openai', 'google'],
  model: 'claude-sonnet-5',
  capabilities: { usage: 'gateway', limits: [], resumes: true, streams: true, mcp: true },
  hides: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  acp: {
    command: 'opencode',
    args: ['acp', '--pure'],
    package: { name: 'opencode-ai', version },
    launch: () => ({
      env: {
        OPENCODE_PERMISSION: JSON.stringify({
          '*': 'ask',
          webfetch: 'deny',
          websearch: 'deny',
          question: 'deny',
        }),
      },
    }),
  },
  launch,
  reader: opencodeReader,
}

/** The path prefix of each format, after the address of a session. */
const versions = { anthropic: '/v1', openai: '/v1', google: '/v1beta' } as const

function launch({ prompt, model, url, token, home, args }: LaunchOptions): Launch {
  const [, named = 'anthropic', id = model] = /^(anthropic|openai|google)\/(.+)$/.exec(model) ?? []
  const provider = named as keyof typeof versions
  const modelName = `${provider}/${id}`
  const config = {
    model: modelName,
    // For titles and summaries it would otherwise choose another model.
    small_model: modelName,
    enabled_providers: [provider],
    provider: {
      [provider]: {
        options: { baseURL: `${url}${versions[provider]}`, apiKey: token },
        // Allows models that it does not know yet.
        models: { [id]: {} },
      },
    },
    // It runs in a sandbox, without a network and without a person to ask.
    permission: { '*': 'allow', webfetch: 'deny', websearch: 'deny', question: 'deny' },
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    lsp: false,
    formatter: false,
  }
  return {
    args: ['run', '--format', 'json', '--pure', '--title', 'loop', '--model', modelName, ...args],
    env: {
      ...quietEnvironment,
      ...toHomeVariables(home),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    },
    input: prompt,
  }
}

const quietEnvironment = {
  OPENCODE_PURE: '1',
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_CLAUDE_CODE: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_SHARE: '1',
  OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: '1',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
} as const

const toHomeVariables = (home: string): Readonly<Record<string, string>> => ({
  HOME: home,
  XDG_CONFIG_HOME: `${home}/.config`,
  XDG_DATA_HOME: `${home}/.local/share`,
  XDG_CACHE_HOME: `${home}/.cache`,
  XDG_STATE_HOME: `${home}/.local/state`,
})
