/**
 * Gemini CLI: `gemini` with the prompt on its standard input, with an event for each piece of an answer.
 *
 * 1. It is told to trust the folder only after it has read its settings, so those of the repository do not
 *    count; commands, skills and policies would, so the folder that they are in is hidden. Our settings are
 *    those of the system, which nothing overrides. `GEMINI.md` cannot be kept from it: it is a text among
 *    those that it reads, and is no more than that.
 * 2. It exits with 0 when a model answered nothing or nonsense, and calls a turn that it stopped itself a
 *    success. Its exit codes are those of HTTP, cut to a byte.
 */

import { type AgentEnd, LoopError } from '../../loop/index.ts'
import type {
  AgentProgram,
  Conclusion,
  Launch,
  LaunchOptions,
  LineReader,
  ProgramEvent,
  ProgramExit,
} from './agent-program.ts'
import { at, briefly, type EventObject, readEvent, textAt } from './event-line.ts'
import { endByExit, lastWords } from './program-ends.ts'

const version = '0.61.0'
const own = { name: '@google/gemini-cli', version }

export const gemini: AgentProgram = {
  name: 'gemini',
  package: own,
  provider: 'google',
  model: 'gemini-2.5-pro',
  capabilities: { usage: 'gateway', limits: ['turns'], resumes: true, streams: true, mcp: true },
  hides: ['.gemini'],
  acp: { command: 'gemini', args: ['--acp', '--skip-trust', '--extensions', 'none'], package: own },
  launch,
  reader: readGemini,
}

/** What comes after that it drops without a word. */
const inputBytesMax = 8 * 1024 * 1024

function launch(options: LaunchOptions): Launch {
  const { prompt, model, url, token, home, settings, turnsMax, args } = options
  // At its beginning a slash would be a command of its own.
  const input = prompt.startsWith('/') ? `\n${prompt}` : prompt
  if (Buffer.byteLength(input) > inputBytesMax) {
    const message = `gemini reads ${inputBytesMax} bytes of a prompt at most. Make it shorter, or use another agent.`
    throw new LoopError('bad-request', message)
  }
  const way = ['--skip-trust', '--approval-mode', 'yolo', '--extensions', 'none']
  return {
    args: ['--output-format', 'stream-json', '--model', model, ...way, ...args],
    env: {
      HOME: home,
      GEMINI_API_KEY: token,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${settings}/settings.json`,
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: `${settings}/defaults.json`,
      // Else it starts itself again, and with the trust that it was given.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
      NO_COLOR: '1',
      NO_PROXY: '127.0.0.1,localhost',
    },
    settings: {
      'settings.json': JSON.stringify(settingsWith(turnsMax)),
      'defaults.json': '{}',
    },
    input,
  }
}

const settingsWith = (turnsMax: number | undefined): object => ({
  general: {
    enableAutoUpdate: false,
    enableAutoUpdateNotification: false,
    // The gateway has tried before it.
    maxAttempts: 2,
    plan: { enabled: false },
  },
  security: { auth: { selectedType: 'gemini-api-key' } },
  model: { maxSessionTurns: turnsMax ?? -1 },
  context: { fileFiltering: { enableRecursiveFileSearch: false } },
  // What the provider finds in the network for it is network too.
  tools: { exclude: ['google_web_search', 'web_fetch'], shell: { enableInteractiveShell: false } },
  mcp: { allowed: [] },
  hooksConfig: { enabled: false },
  skills: { enabled: false },
  advanced: { ignoreLocalEnv: true },
  experimental: { autoMemory: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
})

interface Seen {
  turns: number
  /** It is in an answer: more of it may come. */
  isAnswering: boolean
  /** Of the answer that it is in, or the last one. */
  said: string
  /** Of it, what nobody was told yet. */
  untold: string
  /** By the id of the call. */
  readonly tools: Map<string, string>
  result: Omit<Conclusion, 'turns'> | undefined
  /** What stands against a success that it claims. */
  trouble: Omit<Conclusion, 'turns'> | undefined
}

function readGemini(): LineReader {
  const seen: Seen = {
    turns: 0,
    isAnswering: false,
    said: '',
    untold: '',
    tools: new Map(),
    result: undefined,
    trouble: undefined,
  }
  return {
    read(line) {
      const event = readEvent(line)
      return event === undefined ? [] : eventsOf(event, seen)
    },
    conclude: (exit) => conclude(exit, seen),
  }
}

function eventsOf(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  switch (textAt(event, 'type')) {
    case 'init':
      return sessionOf(event)
    case 'message':
      return textAt(event, 'role') === 'assistant' ? said(event, seen) : []
    case 'tool_use':
      return [...told(seen), ...toolCalled(event, seen)]
    case 'tool_result':
      return [...answered(seen), ...toolEnded(event, seen)]
    case 'error': {
      const message = briefly(textAt(event, 'message') ?? '', 2000)
      seen.trouble ??= troubleOf(message, textAt(event, 'severity') !== 'warning')
      return [...told(seen), { type: 'warned', message }]
    }
    case 'result': {
      const events = answered(seen)
      seen.result = resultOf(event, seen)
      return [...events, { type: 'ended', ...seen.result, turns: seen.turns }]
    }
    default:
      return []
  }
}

function sessionOf(event: EventObject): readonly ProgramEvent[] {
  const id = textAt(event, 'session_id')
  const model = textAt(event, 'model')
  if (id === undefined) return []
  const named = model === undefined ? {} : { model: model.slice(0, 200) }
  return [{ type: 'session', id: id.slice(0, 100), ...named }]
}

/** Answers come in pieces: a line is told when it is whole. */
function said(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  if (!seen.isAnswering) seen.said = ''
  seen.isAnswering = true
  const text = textAt(event, 'content') ?? ''
  seen.said = lastWords(seen.said, text, '')
  seen.untold = lastWords(seen.untold, text, '')
  const end = seen.untold.lastIndexOf('\n')
  if (end < 0) return []
  const whole = seen.untold.slice(0, end)
  seen.untold = seen.untold.slice(end + 1)
  return whole.trim() === '' ? [] : [{ type: 'said', text: whole }]
}

function told(seen: Seen): readonly ProgramEvent[] {
  const text = seen.untold
  seen.untold = ''
  return text.trim() === '' ? [] : [{ type: 'said', text }]
}

function answered(seen: Seen): readonly ProgramEvent[] {
  const events = told(seen)
  if (!seen.isAnswering) return events
  seen.isAnswering = false
  seen.turns++
  return [...events, { type: 'turn-ended' }]
}

const toolsMax = 1000

function toolCalled(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  if (!seen.isAnswering) seen.said = ''
  seen.isAnswering = true
  const tool = briefly(textAt(event, 'tool_name') ?? 'a tool', 200)
  if (seen.tools.size < toolsMax) seen.tools.set(textAt(event, 'tool_id') ?? '', tool)
  return [{ type: 'tool-called', tool, args: briefly(at(event, 'parameters')) }]
}

/** Those that end the work, or that somebody forbade. A success after them is none. */
const refusals: readonly string[] = ['policy_violation', 'stop_execution']

function toolEnded(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  const id = textAt(event, 'tool_id') ?? ''
  const tool = seen.tools.get(id) ?? 'a tool'
  seen.tools.delete(id)
  seen.said = ''
  const error = textAt(event, 'error', 'message')
  const text = briefly(error ?? textAt(event, 'output') ?? '')
  if (refusals.includes(textAt(event, 'error', 'type') ?? '')) {
    seen.trouble ??= { end: 'refused', text: `It was refused ${tool}: ${text}` }
  }
  const ok = textAt(event, 'status') === 'success' && error === undefined
  return [{ type: 'tool-ended', tool, ok, text }]
}

const troubles: readonly (readonly [RegExp, AgentEnd])[] = [
  [/maximum session turns/i, 'limit'],
  [/execution blocked/i, 'refused'],
  [/loop detected/i, 'crashed'],
]

/** A warning that is none of these changes nothing. */
function troubleOf(message: string, isError: boolean): Omit<Conclusion, 'turns'> | undefined {
  const known = troubles.find(([pattern]) => pattern.test(message))?.[1]
  if (known === undefined && !isError) return undefined
  return { end: known ?? 'provider', text: message }
}

const endsByError: Readonly<Record<string, AgentEnd>> = {
  FatalTurnLimitedError: 'limit',
  FatalCancellationError: 'interrupted',
  FatalAuthenticationError: 'provider',
  FatalInputError: 'crashed',
  FatalConfigError: 'crashed',
  FatalSandboxError: 'crashed',
  FatalToolExecutionError: 'crashed',
}

function resultOf(event: EventObject, { trouble, said: words }: Seen): Omit<Conclusion, 'turns'> {
  if (textAt(event, 'status') !== 'success') {
    const type = textAt(event, 'error', 'type') ?? ''
    const message = textAt(event, 'error', 'message')
    const known = Object.hasOwn(endsByError, type) ? endsByError[type] : undefined
    const isApi = message?.startsWith('[API Error') === true || message === undefined
    const end = known ?? trouble?.end ?? (isApi ? 'provider' : 'crashed')
    return { end, text: briefly(message ?? trouble?.text ?? 'It failed.', 2000) }
  }
  if (trouble !== undefined) return { ...trouble, text: [trouble.text, words].join('\n').trim() }
  if (words.trim() === '') return { end: 'no-result', text: 'Its model stopped without a word.' }
  return { end: 'claimed', text: words }
}

/** Of those that it has for itself; what is above 128 is a signal, or a status of HTTP cut to a byte. */
const endsByCode: Readonly<Record<number, readonly [AgentEnd, string]>> = {
  41: ['provider', 'It could not log in at its provider.'],
  42: ['crashed', 'It did not take its prompt.'],
  52: ['crashed', 'It did not take its settings.'],
  53: ['limit', 'It had no turns left.'],
  54: ['crashed', 'A tool of its own failed.'],
  55: ['crashed', 'It does not trust the folder.'],
}

const statuses: readonly number[] = [400, 401, 403, 404, 429, 500, 502, 503, 504, 529]

function conclude({ exitCode, stderr }: ProgramExit, { result, turns }: Seen): Conclusion {
  if (exitCode === 0) {
    return {
      ...(result ?? { end: 'no-result', text: 'It ended in the middle of its work.' }),
      turns,
    }
  }
  if (result !== undefined && result.end !== 'claimed') return { ...result, turns }
  const status = statuses.find((one) => one % 256 === exitCode)
  const known = endsByCode[exitCode ?? -1]
  const [end, why] =
    known ??
    (status === undefined ? [] : (['provider', `Its provider answered ${status}.`] as const))
  if (end === undefined || why === undefined) return { ...endByExit(exitCode, stderr), turns }
  return { end, text: [why, stderr.trim()].join('\n').trim(), turns }
}
