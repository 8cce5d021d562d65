/**
 * Gemini CLI, headless.
 *
 * It is told to trust the folder only after it has read its settings, so those of the repository do
 * not count; the rest of `.gemini` is hidden from it. Our settings are system settings, which
 * nothing overrides. `GEMINI.md` is read as an ordinary workspace file.
 */

import { LoopError } from '../../loop/index.ts'
import type { AgentProgram, Launch, LaunchOptions } from './agent-program.ts'
import { geminiReader } from './gemini-reader.ts'

const version = '0.61.0'
const own = { name: '@google/gemini-cli', version }

export const gemini: AgentProgram = {
  name: 'gemini',
  package: own,
  provider: 'google',
  model: 'gemini-2.5-pro',
  capabilities: { usage: 'gateway', limits: ['turns'], resumes: true, streams: true, mcp: true },
  hides: ['.gemini'],
  hidesCuts: true,
  acp: {
    command: 'gemini',
    args: ['--acp', '--skip-trust', '--extensions', 'none'],
    package: own,
    launch: (_headless, { model }) => ({ args: ['--model', model] }),
  },
  launch,
  reader: geminiReader,
}

/** It silently drops anything beyond this. */
const inputBytesMax = 8 * 1024 * 1024

function launch(options: LaunchOptions): Launch {
  const { prompt, model, url, token, home, settings, turnsMax, args } = options
  // A slash at the start would be a command.
  const input = prompt.startsWith('/') ? `\n${prompt}` : prompt
  if (Buffer.byteLength(input) > inputBytesMax) {
    const message = `gemini reads at most ${inputBytesMax} bytes of a prompt. Shorten the prompt, or use another agent.`
    throw new LoopError('bad-request', message)
  }
  const flags = ['--skip-trust', '--approval-mode', 'yolo', '--extensions', 'none']
  return {
    args: ['--output-format', 'stream-json', '--model', model, ...flags, ...args],
    env: {
      HOME: home,
      GEMINI_API_KEY: token,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${settings}/settings.json`,
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: `${settings}/defaults.json`,
      // Otherwise it restarts itself, with the trust that it was given.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
      NO_COLOR: '1',
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    },
    settings: {
      'settings.json': JSON.stringify(createSettings(turnsMax)),
      'defaults.json': '{}',
    },
    input,
  }
}

const createSettings = (turnsMax: number | undefined): object => ({
  general: {
    enableAutoUpdate: false,
    enableAutoUpdateNotification: false,
    // The gateway has already retried.
    maxAttempts: 2,
    plan: { enabled: false },
  },
  security: { auth: { selectedType: 'gemini-api-key' } },
  model: { maxSessionTurns: turnsMax ?? -1 },
  context: { fileFiltering: { enableRecursiveFileSearch: false } },
  // Searches by the provider are network access too.
  tools: { exclude: ['google_web_search', 'web_fetch'], shell: { enableInteractiveShell: false } },
  mcp: { allowed: [] },
  hooksConfig: { enabled: false },
  skills: { enabled: false },
  advanced: { ignoreLocalEnv: true },
  experimental: { autoMemory: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
})
