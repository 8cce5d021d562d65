/**
 * Claude Code, headless.
 *
 * Settings in the repository can start hooks, MCP servers and helpers, and redirect the key: only
 * those of its own empty home are read. The sandbox decides what it may do, so it asks no one.
 * `CLAUDE.md` is read as an ordinary workspace file.
 */

import type { AcpLaunch, AgentProgram, Launch, LaunchOptions } from './agent-program.ts'
import { claudeReader } from './claude-reader.ts'

export const claude: AgentProgram = {
  name: 'claude',
  package: { name: '@anthropic-ai/claude-code', version: '2.1.325' },
  provider: 'anthropic',
  model: 'claude-sonnet-5',
  capabilities: {
    usage: 'gateway',
    limits: ['turns', 'cost'],
    resumes: true,
    streams: true,
    mcp: true,
  },
  hides: [],
  acp: {
    command: 'claude-agent-acp',
    args: [],
    package: { name: '@agentclientprotocol/claude-agent-acp', version: '0.49.0' },
    launch: acpLaunch,
  },
  launch,
  launchWithOwnLogin,
  reader: claudeReader,
}

function launch(options: LaunchOptions): Launch {
  const { prompt, model, url, token, home, turnsMax, args } = options
  return {
    args: [
      '--print',
      '--output-format=stream-json',
      '--verbose',
      `--model=${model}`,
      '--setting-sources=user',
      '--strict-mcp-config',
      '--disable-slash-commands',
      '--permission-mode=bypassPermissions',
      '--permission-prompts=none',
      '--no-session-persistence',
      // Its memory files in the workspace, without the settings beside them.
      '--add-dir=.',
      ...(turnsMax === undefined ? [] : [`--max-turns=${turnsMax}`]),
      ...args,
    ],
    env: {
      HOME: home,
      CLAUDE_CONFIG_DIR: `${home}/.claude`,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: token,
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
      // The gateway has already retried.
      CLAUDE_CODE_MAX_RETRIES: '2',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // As root it would refuse to work without asking.
      IS_SANDBOX: '1',
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    },
    input: withoutCommand(prompt),
  }
}

function launchWithOwnLogin(
  { prompt, turnsMax, args }: LaunchOptions,
  model: readonly string[],
): Launch {
  return {
    args: [
      '--print',
      '--output-format=stream-json',
      '--verbose',
      ...model,
      '--setting-sources=user',
      '--strict-mcp-config',
      '--disable-slash-commands',
      '--permission-mode=acceptEdits',
      ...(turnsMax === undefined ? [] : [`--max-turns=${turnsMax}`]),
      ...args,
    ],
    env: {},
    input: withoutCommand(prompt),
  }
}

/** Text that starts with a slash is a command, and a success without a model call. */
const withoutCommand = (prompt: string): string =>
  /^\s*\//.test(prompt) ? `Task: ${prompt.trimStart()}` : prompt

/**
 * The adapter starts Claude Code through its SDK. By default it would read the settings of the
 * repository, including hooks and addresses, and those decide whether it asks at all.
 */
function acpLaunch(_headless: Launch, { model }: Pick<LaunchOptions, 'model'>): Partial<AcpLaunch> {
  const options = {
    settingSources: ['user'],
    strictMcpConfig: true,
    additionalDirectories: ['.'],
  }
  return {
    env: { ANTHROPIC_MODEL: model },
    mode: 'default',
    sessionMeta: { claudeCode: { options } },
  }
}
