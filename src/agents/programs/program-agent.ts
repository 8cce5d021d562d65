/**
 * A known agent program as an agent: it is started headless with the flags of its file here, its lines are
 * followed, and what is to be made of its end is decided by what was seen, not by what it says alone.
 *
 * 1. Only an end that its lines, its exit code and our own watch agree on is `claimed`; only then is the
 *    report done, or what its last line says (`STATUS: blocked`).
 * 2. It is ended, with all that it started, when it is silent too long, when it does not go after its
 *    result, when its time is over and when the run is stopped.
 * 3. However much it prints, little is kept, and what is shown has no secrets and no control characters.
 * 4. It writes no files: its settings are written by whoever makes it.
 */

import type { CommandResult, Commands } from '../../engine/index.ts'
import {
  type AgentContext,
  type AgentReport,
  type AgentTask,
  defined,
  FaultError,
  LoopError,
  textOf,
  zero,
} from '../../loop/index.ts'
import type { Agent } from '../agent.ts'
import { createRedact, isSecretName, type Redact } from '../redact.ts'
import { readStatus } from '../report-status.ts'
import { tidy } from '../said-lines.ts'
import type { AgentProgram, Conclusion, Launch, LineReader, ProgramEvent } from './agent-program.ts'
import { createLineSplitter } from './line-splitter.ts'
import { createProgramNotes } from './program-notes.ts'
import {
  defaultIdleMs,
  type ProgramWatch,
  type ProgramWatchOptions,
  watchProgram,
} from './program-watch.ts'

/** Options of `programAgent`. */
export interface ProgramAgentOptions extends ProgramWatchOptions {
  readonly program: AgentProgram
  /** How it is called here: its path, and what comes before its own arguments. */
  readonly command: readonly string[]
  readonly commands: Commands
  /** As the provider calls it; the program's own choice unless told. */
  readonly model?: string
  /** Its session of the gateway, as it sees it. */
  readonly url: string
  readonly token: string
  /** Folders as it sees them: an empty one that it may fill, and the one with its settings. */
  readonly home: string
  readonly settings: string
  readonly turnsMax?: number
  /** Further arguments of the loop file's author. */
  readonly args: readonly string[]
  /** Values, over the few that every command gets; what leads it to its model comes last. */
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** Takes secrets out of what it says, besides those that it is given here. */
  readonly mask?: (text: string) => string
  /** Who knows what it spends; nobody unless told. */
  readonly spending?: 'gateway' | 'subscription' | 'unknown'
  /** How the last answer of its model ended, as the gateway saw it; `other`: cut short or refused. */
  readonly lastAnswer?: () => 'final' | 'calls' | 'other' | undefined
}

const defaultTimeoutMs = 30 * 60_000
const outputBytesMax = 64 * 1024
const reportCharsMax = 20_000
const errorCharsMax = 4000

/** An agent program such as `claude` or `codex`, run headless. */
export function programAgent(options: ProgramAgentOptions): Agent {
  const { program, command, mask, env } = options
  if (command[0] === undefined || command[0] === '') {
    throw new LoopError('bad-request', `Say where ${program.name} is: a list with a program.`)
  }
  const secrets = Object.entries(env ?? {}).filter(([name]) => isSecretName(name))
  const redactOwn = createRedact([options.token, ...secrets.map(([, value]) => value)])
  const redact: Redact = (text) => redactOwn(mask?.(text) ?? text)
  let warned = options.spending === 'gateway'
  return {
    async work(task, context) {
      if (!warned) context.note({ type: 'said', text: unmetered(options) })
      warned = true
      return reportOf(await run(options, task, context, redact), redact)
    },
  }
}

const unmetered = ({ program: { name }, spending }: ProgramAgentOptions): string =>
  spending === 'subscription'
    ? `${name} works on a subscription of its own: limits of tokens and cost do not hold for it.`
    : `What ${name} spends is not metered: limits of tokens and cost do not hold for it.`

/** What a program is started with for a task. Its settings files are to be there before. */
export function launchOf(
  { program, model, url, token, home, settings, turnsMax, args }: ProgramAgentOptions,
  prompt: string,
): Launch {
  const limit = defined({ turnsMax })
  const named = model ?? program.model
  return program.launch({ prompt, model: named, url, token, home, settings, args, ...limit })
}

async function run(
  options: ProgramAgentOptions,
  { prompt }: AgentTask,
  context: AgentContext,
  redact: Redact,
): Promise<Conclusion> {
  const { commands, program, timeoutMs = defaultTimeoutMs } = options
  const { signal, workspace } = context
  const [path = '', ...before] = options.command
  const { args, env, input } = launchOf(options, prompt)
  if (input !== undefined && input !== prompt) await context.keepPrompt?.(input)
  const watch = watchProgram(options, signal)
  const reader = program.reader()
  const notes = createProgramNotes((note) => context.note(note), redact)
  const turns = createTurnLimit(options)
  const lines = createLineSplitter((line) => {
    const events = reader.read(line)
    for (const event of events) {
      notes.tell(event)
      if (event.type === 'ended') watch.saidResult(true)
      else if (isWork(event)) watch.saidResult(false)
    }
    if (turns.isReached(events)) watch.endAtLimit()
    if (events.length === 0 && /^\s*[^\s{]/.test(line)) notes.heardNoise(line)
  })
  try {
    const result = await commands.run(
      {
        program: path,
        args: [...before, ...args],
        env: { ...options.env, ...env },
        timeoutMs,
        outputBytesMax,
        onOutput(chunk, stream) {
          watch.heard()
          if (stream === 'stdout') lines.push(chunk)
        },
        ...defined({ input, cwd: workspace }),
      },
      watch.signal,
    )
    signal.throwIfAborted()
    lines.end()
    return conclude({ result, watch, reader, noise: notes.noise(), timeoutMs, options, redact })
  } catch (error) {
    signal.throwIfAborted()
    throw cannotStart(error, program.name)
  } finally {
    watch.stop()
  }
}

/** After its result it may still warn; if it works again, it has none yet. */
const isWork = ({ type }: ProgramEvent): boolean =>
  type === 'said' || type === 'tool-called' || type === 'turn-ended'

/** For a program that cannot be told: the last of its turns has begun work that another would end. */
function createTurnLimit({ program, turnsMax = Number.POSITIVE_INFINITY }: ProgramAgentOptions): {
  isReached(events: readonly ProgramEvent[]): boolean
} {
  const isOurs = !program.capabilities.limits.includes('turns')
  let turns = 0
  return {
    isReached(events) {
      turns += events.filter(({ type }) => type === 'turn-ended').length
      return isOurs && turns >= turnsMax && events.every(({ type }) => type !== 'ended')
    },
  }
}

/** Where the same would happen next time, there is no use in another iteration. */
function cannotStart(error: unknown, name: string): unknown {
  if (!(error instanceof FaultError)) return error
  const { code, retryable } = error.fault
  if (retryable || code === 'still-alive') return error
  const message = `${textOf(error)} It is the agent of this loop. See what is there with: loopctl agents test ${name}`
  const fault = { code: 'agent-not-started', message, retryable: false, fatal: true }
  return new FaultError(fault, { cause: error })
}

interface Ended {
  readonly result: CommandResult
  readonly watch: ProgramWatch
  readonly reader: LineReader
  /** Lines that were no events. */
  readonly noise: string
  readonly timeoutMs: number
  readonly options: ProgramAgentOptions
  readonly redact: Redact
}

function conclude(ended: Ended): Conclusion {
  const { result, watch, reader, noise, timeoutMs, options, redact } = ended
  const stderr = redact(tidy([noise, result.stderr].join('\n'))).slice(-errorCharsMax)
  // It may have ended by itself at the last moment.
  const endedBy = result.ended === 'aborted' ? watch.ended : undefined
  const isOver = endedBy === 'lingered'
  // One that had to be ended is judged by what it had said until then.
  const said = reader.conclude({ exitCode: isOver ? 0 : result.exitCode, stderr })
  const withWhy = (end: Conclusion['end'], why: string): Conclusion => ({
    ...said,
    end,
    text: [why, said.text].filter((part) => part !== '').join('\n'),
  })
  if (isOver) {
    if (said.end !== 'claimed') return said
    return withWhy('lingered', 'It had its result and did not end; it was ended.')
  }
  if (endedBy === 'idle') {
    const span = Math.ceil((options.idleMs ?? defaultIdleMs) / 1000)
    return withWhy('idle', `It was silent for ${span} s without a result, and was ended.`)
  }
  if (endedBy === 'limit') {
    return withWhy('limit', `It had its ${options.turnsMax} turns and was ended.`)
  }
  if (result.ended === 'timeout') {
    const span = Math.ceil(timeoutMs / 1000)
    return withWhy('time', `It did not end within ${span} s and was stopped.`)
  }
  const { exceeded, exitCode } = result
  // One that was refused more and ended well has got over it.
  if (exceeded !== undefined && exitCode !== 0) {
    return withWhy('crashed', `It met its limit of ${exceeded}.`)
  }
  if (result.ended !== 'exited') return withWhy('interrupted', 'It was killed by a signal.')
  // No reader is trusted with this alone.
  if (said.end === 'claimed' && exitCode !== 0) {
    return withWhy('crashed', `It said that it was done and ended with code ${exitCode}.`)
  }
  const { program, lastAnswer } = options
  if (said.end === 'claimed' && program.hidesCuts === true && lastAnswer?.() === 'other') {
    return withWhy('provider', 'The last answer of its model was cut short or refused.')
  }
  return said
}

/** What it had claimed before it had to be ended may well be true; it is said as a concern. */
export function reportOf({ end, text, turns }: Conclusion, redact: Redact): AgentReport {
  const plain = redact(tidy(text)).slice(-reportCharsMax)
  const base = { usage: zero, turns, ended: end }
  if (end === 'lingered') return { ...base, status: 'done-with-concerns', text: plain }
  if (end !== 'claimed') return { ...base, status: 'failed', text: plain }
  const said = readStatus(plain)
  return { ...base, status: said.status ?? 'done', text: said.text.trim() }
}
