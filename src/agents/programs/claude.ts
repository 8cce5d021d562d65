/**
 * Claude Code, headless.
 *
 * Settings in the repository can start hooks, MCP servers and helpers, and redirect the key: only
 * those of its own empty home are read. The sandbox decides what it may do, so it asks no one.
 * `CLAUDE.md` is read as an ordinary workspace file.
 */

import type { AgentProgram, Launch, LaunchOptions } from './agent-program.ts'
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
  },
  launch,
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
    // Text that starts with a slash is a command, and a success without a model call.
    input: /^\s*\//.test(prompt) ? `Task: ${prompt.trimStart()}` : prompt,
  }
}
