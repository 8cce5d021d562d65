/**
 * A known agent program as an agent: it is started headless with the flags from its file, its
 * output is followed, and its end is judged by what was observed, not only by what it claims.
 *
 * 1. Only an end that its output, its exit code and our own watch agree on is `claimed`; only
 *   then is the report done, or what its last line says (`STATUS: blocked`).
 * 2. It is ended, with everything it started, if it is silent for too long, if it does not exit
 *   after its result, at its time limit, and when the run is stopped.
 * 3. However much it prints, little is kept, and what is shown contains no secrets and no control
 *   characters.
 * 4. It writes no files: its settings are written by the caller.
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
import { tidy } from '../output-notes.ts'
import { createRedact, isSecretName, type Redact } from '../redact.ts'
import { readStatus } from '../report-status.ts'
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
  /** How to call it: its path, and arguments that precede its own. */
  readonly command: readonly string[]
  readonly commands: Commands
  /** The provider's model name. Default: the program's own choice. */
  readonly model?: string
  /** Its gateway session, as the program sees it. */
  readonly url: string
  readonly token: string
  /**
   * Folders as the program sees them: an empty one that it may fill, and the one with its settings.
   */
  readonly home: string
  readonly settings: string
  readonly turnsMax?: number
  /** Further arguments by the author of the loop file. */
  readonly args: readonly string[]
  /**
   * Environment variables, in addition to the few that every command gets; those for its model take
   * precedence.
   */
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** Masks secrets in its output, besides those passed here. */
  readonly mask?: (text: string) => string
  /** What meters its spending. Default: `unknown`. */
  readonly spending?: 'gateway' | 'subscription' | 'unknown'
  /**
   * How the last response of its model ended, as the gateway saw it; `other`: cut short or refused.
   */
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
    throw new LoopError(
      'bad-request',
      `The agent program ${program.name} needs a command: a list that starts with a program.`,
    )
  }
  const secrets = Object.entries(env ?? {}).filter(([name]) => isSecretName(name))
  const redactOwn = createRedact([options.token, ...secrets.map(([, value]) => value)])
  const redact: Redact = (text) => redactOwn(mask?.(text) ?? text)
  let warned = options.spending === 'gateway'
  return {
    async work(task, context) {
      if (!warned) context.note({ type: 'said', text: describeMetering(options) })
      warned = true
      return toReport(await run(options, task, context, redact), redact)
    },
  }
}

const describeMetering = ({ program: { name }, spending }: ProgramAgentOptions): string =>
  spending === 'subscription'
    ? `${name} uses its own subscription: token and cost limits do not apply to it.`
    : `The spending of ${name} is not metered: token and cost limits do not apply to it.`

/** How a program is started for a task. Its settings files must exist before. */
export function toLaunch(
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
  const { args, env, input } = toLaunch(options, prompt)
  if (input !== undefined && input !== prompt) await context.keepPrompt?.(input)
  const watch = watchProgram(options, signal)
  const reader = program.reader()
  const notes = createProgramNotes((note) => context.note(note), redact)
  const turns = createTurnLimit(options)
  const lines = createLineSplitter((line) => {
    const events = reader.read(line)
    for (const event of events) {
      notes.report(event)
      if (event.type === 'ended') watch.setResult(true)
      else if (isWork(event)) watch.setResult(false)
    }
    if (turns.isReached(events)) watch.endAtLimit()
    if (events.length === 0 && /^\s*[^\s{]/.test(line)) notes.addNoise(line)
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
          watch.noteOutput()
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
    throw toStartFault(error, program.name)
  } finally {
    watch.stop()
  }
}

/** After its result it may still print warnings; if it continues to work, it has no result yet. */
const isWork = ({ type }: ProgramEvent): boolean =>
  type === 'said' || type === 'tool-called' || type === 'turn-ended'

/**
 * For a program that accepts no turn limit: ends it when its last turn is over and it is not done.
 */
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

/** Fatal: the next iteration would fail in the same way. */
function toStartFault(error: unknown, name: string): unknown {
  if (!(error instanceof FaultError)) return error
  const { code, retryable } = error.fault
  if (retryable || code === 'still-alive') return error
  const message = `Cannot start the agent ${name}. ${textOf(error)} Check it with: loopctl agents test ${name}`
  const fault = { code: 'agent-not-started', message, retryable: false, fatal: true }
  return new FaultError(fault, { cause: error })
}

interface FinishedProgram {
  readonly result: CommandResult
  readonly watch: ProgramWatch
  readonly reader: LineReader
  /** Lines that were not events. */
  readonly noise: string
  readonly timeoutMs: number
  readonly options: ProgramAgentOptions
  readonly redact: Redact
}

function conclude(ended: FinishedProgram): Conclusion {
  const { result, watch, reader, noise, timeoutMs, options, redact } = ended
  const stderr = redact(tidy([noise, result.stderr].join('\n'))).slice(-errorCharsMax)
  // It may have exited by itself at the last moment.
  const endedBy = result.ended === 'aborted' ? watch.ended : undefined
  const hasLingered = endedBy === 'lingered'
  // A program that was ended is judged by its output so far.
  const said = reader.conclude({ exitCode: hasLingered ? 0 : result.exitCode, stderr })
  const withReason = (end: Conclusion['end'], why: string): Conclusion => ({
    ...said,
    end,
    text: [why, said.text].filter((part) => part !== '').join('\n'),
  })
  if (hasLingered) {
    if (said.end !== 'claimed') return said
    return withReason('lingered', 'It reported its result but did not exit; it was stopped.')
  }
  if (endedBy === 'idle') {
    const span = Math.ceil((options.idleMs ?? defaultIdleMs) / 1000)
    return withReason('idle', `It was silent for ${span} s without a result, and was ended.`)
  }
  if (endedBy === 'limit') {
    return withReason('limit', `It had its ${options.turnsMax} turns and was ended.`)
  }
  if (result.ended === 'timeout') {
    const span = Math.ceil(timeoutMs / 1000)
    return withReason('time', `It did not end within ${span} s and was stopped.`)
  }
  const { exceeded, exitCode } = result
  // If it hit a limit but exited with 0, it recovered.
  if (exceeded !== undefined && exitCode !== 0) {
    return withReason('crashed', `It reached its limit of ${exceeded}.`)
  }
  if (result.ended !== 'exited') return withReason('interrupted', 'It was killed by a signal.')
  // No reader is trusted with this alone.
  if (said.end === 'claimed' && exitCode !== 0) {
    return withReason('crashed', `It reported success but exited with code ${exitCode}.`)
  }
  const { program, lastAnswer } = options
  if (said.end === 'claimed' && program.hidesCuts === true && lastAnswer?.() === 'other') {
    return withReason('provider', 'The last answer of its model was cut short or refused.')
  }
  return said
}

/** What it claimed before it had to be ended may well be true; it is reported as a concern. */
export function toReport({ end, text, turns }: Conclusion, redact: Redact): AgentReport {
  const plain = redact(tidy(text)).slice(-reportCharsMax)
  const base = { usage: zero, turns, ended: end }
  if (end === 'lingered') return { ...base, status: 'done-with-concerns', text: plain }
  if (end !== 'claimed') return { ...base, status: 'failed', text: plain }
  const said = readStatus(plain)
  return { ...base, status: said.status ?? 'done', text: said.text.trim() }
}
