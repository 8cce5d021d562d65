/**
 * opencode: `opencode run`, with an event for each part of a message that is finished.
 *
 * 1. Plug-ins that the repository lists or has in `.opencode` run whatever flags and variables say, so both
 *    are hidden. All settings come in one variable.
 * 2. It says nothing while it tries again, and it does so for ever: only the idle limit ends that.
 * 3. It exits with 0 when an answer was cut short. Only a last step that stopped by itself, with a word, is
 *    a result.
 */

import type { AgentEnd } from '../../loop/index.ts'
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

const version = '1.18.33'

export const opencode: AgentProgram = {
  name: 'opencode',
  package: { name: 'opencode-ai', version },
  provider: 'anthropic',
  otherProviders: ['openai', 'google'],
  model: 'claude-sonnet-5',
  capabilities: { usage: 'gateway', limits: [], resumes: true, streams: true, mcp: true },
  hides: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  acp: { command: 'opencode', args: ['acp', '--pure'], package: { name: 'opencode-ai', version } },
  launch,
  reader: readOpencode,
}

/** Where it looks for each format, behind the address of a session. */
const versions = { anthropic: '/v1', openai: '/v1', google: '/v1beta' } as const

function launch({ prompt, model, url, token, home, args }: LaunchOptions): Launch {
  const [, named = 'anthropic', id = model] = /^(anthropic|openai|google)\/(.+)$/.exec(model) ?? []
  const provider = named as keyof typeof versions
  const whole = `${provider}/${id}`
  const config = {
    model: whole,
    // For its titles and summaries it would look for a model of its own.
    small_model: whole,
    enabled_providers: [provider],
    provider: {
      [provider]: {
        options: { baseURL: `${url}${versions[provider]}`, apiKey: token },
        // One that it does not know yet may be asked all the same.
        models: { [id]: {} },
      },
    },
    // The walls are around it. There is no network for it, and nobody to be asked.
    permission: { '*': 'allow', webfetch: 'deny', websearch: 'deny', question: 'deny' },
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    lsp: false,
    formatter: false,
  }
  return {
    args: ['run', '--format', 'json', '--pure', '--title', 'loop', '--model', whole, ...args],
    env: { ...quiet, ...homes(home), OPENCODE_CONFIG_CONTENT: JSON.stringify(config) },
    input: prompt,
  }
}

const quiet = {
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
} as const

const homes = (home: string): Readonly<Record<string, string>> => ({
  HOME: home,
  XDG_CONFIG_HOME: `${home}/.config`,
  XDG_DATA_HOME: `${home}/.local/share`,
  XDG_CACHE_HOME: `${home}/.cache`,
  XDG_STATE_HOME: `${home}/.local/state`,
})

interface Seen {
  session: string | undefined
  turns: number
  /** Of the step that it is in, or the last one. */
  said: string
  /** Why the last step ended; undefined while it is in one. */
  reason: string | undefined
  failure: { readonly end: AgentEnd; readonly text: string } | undefined
  refusal: string | undefined
}

function readOpencode(): LineReader {
  const seen: Seen = {
    session: undefined,
    turns: 0,
    said: '',
    reason: undefined,
    failure: undefined,
    refusal: undefined,
  }
  return {
    read(line) {
      const event = readEvent(line)
      return event === undefined ? [] : [...sessionOf(event, seen), ...eventsOf(event, seen)]
    },
    conclude: (exit) => conclude(exit, seen),
  }
}

function sessionOf(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  const id = textAt(event, 'sessionID')
  if (id === undefined || seen.session !== undefined) return []
  seen.session = id.slice(0, 100)
  return [{ type: 'session', id: seen.session }]
}

function eventsOf(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  const part = at(event, 'part')
  switch (textAt(event, 'type')) {
    case 'step_start':
      seen.said = ''
      seen.reason = undefined
      return []
    case 'text': {
      const text = textAt(part, 'text') ?? ''
      seen.said = lastWords(seen.said, text)
      return [{ type: 'said', text }]
    }
    case 'tool_use':
      return toolUsed(part, seen)
    case 'step_finish':
      return stepEnded(textAt(part, 'reason') ?? '', seen)
    case 'error':
      seen.failure = failureOf(at(event, 'error'))
      return [{ type: 'ended', ...seen.failure, turns: seen.turns }]
    default:
      return []
  }
}

/** It is only told of when it has ended. */
function toolUsed(part: unknown, seen: Seen): readonly ProgramEvent[] {
  const tool = textAt(part, 'tool') ?? 'a tool'
  const state = at(part, 'state')
  const error = textAt(state, 'error')
  if (error !== undefined && isRefusal.test(error)) seen.refusal = `${tool}: ${briefly(error)}`
  const ok = textAt(state, 'status') === 'completed' && tool !== 'invalid'
  const text = error ?? (ok ? undefined : textAt(state, 'output'))
  return [
    { type: 'tool-called', tool, args: briefly(at(state, 'input')) },
    { type: 'tool-ended', tool, ok, ...(text === undefined ? {} : { text: briefly(text) }) },
  ]
}

const isRefusal = /rejected permission|rule which prevents you/

function stepEnded(reason: string, seen: Seen): readonly ProgramEvent[] {
  seen.reason = reason
  seen.turns++
  const ended: ProgramEvent = { type: 'turn-ended' }
  if (reason === 'tool-calls') return [ended]
  return [ended, { type: 'ended', ...endOfStep(seen), turns: seen.turns }]
}

const endsByReason: Readonly<Record<string, readonly [AgentEnd, string]>> = {
  length: ['limit', 'The answer of its model was cut off at its longest.'],
  'content-filter': ['provider', 'The provider of its model filtered the answer.'],
  error: ['provider', 'The answer of its model broke off.'],
}

function endOfStep({ reason, said, turns }: Seen): Omit<Conclusion, 'turns'> {
  if (reason === 'stop') {
    if (said !== '') return { end: 'claimed', text: said }
    return { end: 'no-result', text: 'Its model stopped without a word.' }
  }
  if (reason === 'tool-calls' || reason === undefined) {
    const where = turns === 0 && reason === undefined ? 'before' : 'in the middle of'
    return { end: 'no-result', text: `It ended ${where} its work.` }
  }
  const known = Object.hasOwn(endsByReason, reason) ? endsByReason[reason] : undefined
  const [end, why] = known ?? ['provider', `Its model stopped: ${briefly(reason, 100)}.`]
  return { end, text: [why, said].filter((part) => part !== '').join('\n') }
}

const endsByName: Readonly<Record<string, AgentEnd>> = {
  APIError: 'provider',
  ProviderAuthError: 'provider',
  ProviderModelNotFoundError: 'provider',
  ContentFilterError: 'provider',
  ContextOverflowError: 'provider',
  MessageOutputLengthError: 'limit',
  MessageAbortedError: 'interrupted',
}

function failureOf(error: unknown): Omit<Conclusion, 'turns'> {
  const name = textAt(error, 'name') ?? ''
  const end = Object.hasOwn(endsByName, name) ? endsByName[name] : undefined
  const message = textAt(error, 'data', 'message') ?? briefly(error)
  return { end: end ?? 'crashed', text: briefly(`${name}: ${message}`, 2000) }
}

function conclude({ exitCode, stderr }: ProgramExit, seen: Seen): Conclusion {
  const { failure, refusal, turns } = seen
  if (failure !== undefined) return { ...failure, turns }
  if (exitCode !== 0) return { ...endByExit(exitCode, stderr), turns }
  const refused = refusal ?? /permission requested: .*auto-rejecting/.exec(stderr)?.[0]
  if (refused !== undefined) {
    return { end: 'refused', text: [`It was refused ${refused}`, seen.said].join('\n'), turns }
  }
  return { ...endOfStep(seen), turns }
}
