/**
 * Any program as an agent: the prompt comes on its standard input, it works in the workspace, and the
 * end of what it prints is its report.
 *
 * 1. It sees of the environment only what the commands port lets through, and what it is given here.
 * 2. Exit 0 is done, or what the last line says (`STATUS: blocked`); anything else is a failed report,
 *    not a fault: checks may still look at what it did. A program that cannot be started is fatal.
 * 3. What it spends is known when its models are behind the gateway. Else it is not in the budget, and
 *    that is said.
 * 4. One that has its result and does not end is ended.
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
import { createRedact, isSecretName, type Redact } from './redact.ts'
import { readStatus } from './report-status.ts'
import { createSaidLines } from './said-lines.ts'

/** Options of `commandAgent`. */
export interface CommandAgentOptions extends EndWatchOptions {
  /** The program and its arguments; there is no shell. */
  readonly command: readonly string[]
  readonly commands: Commands
  /** Values, over the few that every command gets. */
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** Takes secrets out of what it says, besides those that it is given here. */
  readonly mask?: (text: string) => string
  /** Who knows what it spends; nobody unless told. */
  readonly spending?: 'gateway' | 'subscription' | 'unknown'
}

const defaultTimeoutMs = 30 * 60_000
const outputBytesMax = 256 * 1024
const reportCharsMax = 20_000
const errorCharsMax = 4000

/** An agent that is any command line. It reads the prompt from standard input. */
export function commandAgent(options: CommandAgentOptions): Agent {
  if (options.command[0] === undefined || options.command[0] === '') {
    throw new LoopError('bad-request', 'A command agent needs a command: a list with a program.')
  }
  const secrets = Object.entries(options.env ?? {}).filter(([name]) => isSecretName(name))
  const redactOwn = createRedact(secrets.map(([, value]) => value))
  const redact: Redact = (text) => redactOwn(options.mask?.(text) ?? text)
  let warned = options.spending === 'gateway'
  return {
    async work(task, context) {
      if (!warned) context.note({ type: 'said', text: unmetered(options) })
      warned = true
      const result = await run(options, task, context, redact)
      if (result.lingered)
        context.note({
          type: 'said',
          text: `${options.command[0]} had its result and did not end; it was ended.`,
        })
      return reportOf(result, options, redact)
    },
  }
}

const unmetered = ({ command: [program], spending }: CommandAgentOptions): string =>
  spending === 'subscription'
    ? `${program} works on a subscription of its own: limits of tokens and cost do not hold for it.`
    : `What ${program} spends is not metered: limits of tokens and cost do not hold for it.`

type Ended = CommandResult & { readonly lingered: boolean }

async function run(
  options: CommandAgentOptions,
  task: AgentTask,
  context: AgentContext,
  redact: Redact,
): Promise<Ended> {
  const { commands, env, timeoutMs = defaultTimeoutMs } = options
  const [program = '', ...args] = options.command
  const { signal, workspace } = context
  const said = createSaidLines((text) => context.note({ type: 'said', text: redact(text) }))
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
          watch.heard()
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
    throw cannotStart(error, program)
  } finally {
    watch.stop()
    said.end()
  }
}

/** Where the same would happen next time, there is no use in another iteration. */
function cannotStart(error: unknown, program: string): unknown {
  if (!(error instanceof FaultError)) return error
  const { code, retryable } = error.fault
  if (retryable || code === 'still-alive') return error
  const message = `${textOf(error)} It is the agent of this loop: give another command for ${program}.`
  const fault = { code: 'agent-not-started', message, retryable: false, fatal: true }
  return new FaultError(fault, { cause: error })
}

function reportOf(
  result: Ended,
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
        ? `It was killed by a signal.${limitMet(result)}`
        : `It ended with exit code ${result.exitCode}.${limitMet(result)}`
  const stderr = redact(result.stderr).slice(-errorCharsMax).trim()
  return make('failed', [why, stderr, stdout.trim()].filter((part) => part !== '').join('\n'))
}

const limitMet = ({ exceeded }: CommandResult): string =>
  exceeded === undefined ? '' : ` It had met its limit of ${exceeded}.`
