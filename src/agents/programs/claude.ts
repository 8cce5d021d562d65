/**
 * Claude Code, headless.
 *
 * Settings of the repository can start hooks, MCP servers and helpers, and lead the key elsewhere: only
 * those of its own empty home are read. What it may do is decided by the walls around it, so it asks
 * nobody. `CLAUDE.md` is read as part of the workspace, which is all that it is.
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
      // Its memory of the workspace, without the settings beside it.
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
      // The gateway has tried before.
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

/** What begins with a slash is a command of its own, and a success without a question to a model. */
const withoutCommand = (prompt: string): string =>
  /^\s*\//.test(prompt) ? `Task: ${prompt.trimStart()}` : prompt

/**
 * The adapter starts it by its SDK. It would read the settings of the repository, hooks and addresses among them,
 * and take from them whether it asks at all.
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
