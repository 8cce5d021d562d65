/**
 * Any program as an agent: the prompt is its standard input, it works in the workspace, and the end
 * of its output is its report.
 *
 * 1. Its environment is only what the commands port allows, plus what is passed here.
 * 2. Exit code 0 means done, unless the last line reports another status (`STATUS: blocked`). Any
 *   other code makes a failed report, not a fault: checks may still examine its work. A program that
 *   cannot be started is a fatal fault.
 * 3. What it spends is known if its models are behind the gateway. Otherwise it is not in the
 *   budget, and a note says so.
 * 4. A program that has reported its result but does not exit is stopped.
 */

import type { CommandResult, Commands } from '../engine/index.ts'
import {
  type AgentContext,
  type AgentReport,
  type AgentTask,
  defined,
  FaultError,
  LoopError,
  textOf,
  zero,
} from '../loop/index.ts'
import type { Agent } from './agent.ts'
import { type EndWatchOptions, watchForEnd } from './end-watch.ts'
import { createOutputNotes } from './output-notes.ts'
import { createRedact, isSecretName, type Redact } from './redact.ts'
import { readStatus } from './report-status.ts'

/** Options of `commandAgent`. */
export interface CommandAgentOptions extends EndWatchOptions {
  /** The program and its arguments; there is no shell. */
  readonly command: readonly string[]
  readonly commands: Commands
  /** Environment variables, in addition to the few that every command gets. */
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** Masks secrets in its output, besides those passed here. */
  readonly mask?: (text: string) => string
  /** What meters its spending. Default: `unknown`. */
  readonly spending?: 'gateway' | 'subscription' | 'unknown'
}

const defaultTimeoutMs = 30 * 60_000
const outputBytesMax = 256 * 1024
const reportCharsMax = 20_000
const errorCharsMax = 4000

/** An agent that is any command line. It reads the prompt from standard input. */
export function commandAgent(options: CommandAgentOptions): Agent {
  if (options.command[0] === undefined || options.command[0] === '') {
    throw new LoopError(
      'bad-request',
      'A command agent needs a command: a list that starts with a program.',
    )
  }
  const secrets = Object.entries(options.env ?? {}).filter(([name]) => isSecretName(name))
  const redactOwn = createRedact(secrets.map(([, value]) => value))
  const redact: Redact = (text) => redactOwn(options.mask?.(text) ?? text)
  let warned = options.spending === 'gateway'
  return {
    async work(task, context) {
      if (!warned) context.note({ type: 'said', text: describeMetering(options) })
      warned = true
      const result = await run(options, task, context, redact)
      if (result.lingered)
        context.note({
          type: 'said',
          text: `${options.command[0]} reported its result but did not exit; stopped it.`,
        })
      return toReport(result, options, redact)
    },
  }
}

const describeMetering = ({ command: [program], spending }: CommandAgentOptions): string =>
  spending === 'subscription'
    ? `${program} uses its own subscription: token and cost limits do not apply to it.`
    : `The spending of ${program} is not metered: token and cost limits do not apply to it.`

type CommandEnd = CommandResult & { readonly lingered: boolean }

async function run(
  options: CommandAgentOptions,
  task: AgentTask,
  context: AgentContext,
  redact: Redact,
): Promise<CommandEnd> {
  const { commands, env, timeoutMs = defaultTimeoutMs } = options
  const [program = '', ...args] = options.command
  const { signal, workspace } = context
  const said = createOutputNotes((text) => context.note({ type: 'said', text: redact(text) }))
  const watch = watchForEnd(options, signal)
  try {
    const result = await commands.run(
      {
        program,
        args,
        input: task.prompt,
        timeoutMs,
        outputBytesMax,
        onOutput(chunk) {
          watch.noteOutput()
          said.push(chunk)
        },
        ...defined({ cwd: workspace, env }),
      },
      watch.signal,
    )
    signal.throwIfAborted()
    return { ...result, lingered: watch.lingered() }
  } catch (error) {
    signal.throwIfAborted()
    throw toStartFault(error, program)
  } finally {
    watch.stop()
    said.end()
  }
}

/** Fatal: the next iteration would fail in the same way. */
function toStartFault(error: unknown, program: string): unknown {
  if (!(error instanceof FaultError)) return error
  const { code, retryable } = error.fault
  if (retryable || code === 'still-alive') return error
  const message = `Cannot start the agent ${program}. ${textOf(error)} Set another command under agent in the loop file.`
  const fault = { code: 'agent-not-started', message, retryable: false, fatal: true }
  return new FaultError(fault, { cause: error })
}

function toReport(
  result: CommandEnd,
  { timeoutMs = defaultTimeoutMs }: CommandAgentOptions,
  redact: Redact,
): AgentReport {
  const stdout = redact(result.stdout).slice(-reportCharsMax)
  const make = (status: AgentReport['status'], text: string): AgentReport => ({
    status,
    text,
    usage: zero,
    turns: 1,
  })
  if (result.lingered || (result.ended === 'exited' && result.exitCode === 0)) {
    const said = readStatus(stdout)
    return make(said.status ?? 'done', said.text.trim())
  }
  const why =
    result.ended === 'timeout'
      ? `It did not end within ${Math.round(timeoutMs / 1000)} s and was stopped.`
      : result.ended === 'signal'
        ? `It was killed by a signal.${describeLimit(result)}`
        : `It ended with exit code ${result.exitCode}.${describeLimit(result)}`
  const stderr = redact(result.stderr).slice(-errorCharsMax).trim()
  return make('failed', [why, stderr, stdout.trim()].filter((part) => part !== '').join('\n'))
}

const describeLimit = ({ exceeded }: CommandResult): string =>
  exceeded === undefined ? '' : ` It reached its limit of ${exceeded}.`
