/**
 * An agent without a model, a key or a network: it looks for a small edit of the source that makes the
 * checks pass.
 *
 * 1. Which tests fail, and which code each of them runs, says what to suspect; operators say what to try.
 * 2. One call tries a limited number of edits for a limited time. What is left is for the next one: the
 *    report says where the search stands (E3).
 * 3. It changes one source file, and only when the checks themselves, run as ever in fresh processes,
 *    then pass (E5). Tests, configuration and everything else stay as they are.
 * 4. Part of the tests is held back from the search. Green is not the same as right, and it says so.
 */

import { availableParallelism } from 'node:os'
import type { Commands } from '../../engine/index.ts'
import { LoopError } from '../../loop/index.ts'
import type { Agent } from '../agent.ts'
import type { RepairSettings } from './repair.ts'

/** Options of `repairAgent`. */
export interface RepairAgentOptions {
  /** What has to pass: programs with their arguments; there is no shell. */
  readonly checks: readonly (readonly string[])[]
  readonly commands: Commands
  /** Decides which tests are held back. */
  readonly seed?: number
  /** Of one call. */
  readonly candidatesMax?: number
  readonly timeMs?: number
  readonly checkTimeoutMs?: number
  /** How much of the tests the search never sees; 0.3 unless told. */
  readonly heldBackShare?: number
  /** Processes that try edits at the same time; at most two unless told. */
  readonly workers?: number
  /** Files of the project that are loaded before its tests. */
  readonly preload?: readonly string[]
  /** The program that runs JavaScript, where commands run. */
  readonly node?: string
  /** Where the workspace is for commands, if that is elsewhere. */
  readonly shownAs?: string
}

const defaults = {
  seed: 1,
  candidatesMax: 3000,
  timeMs: 60_000,
  checkTimeoutMs: 10 * 60_000,
  heldBackShare: 0.3,
  preload: [],
}
/** What is found late is of no use if it cannot be judged. */
const shareOfRemaining = 0.8

/** An agent without a model: it searches for a small edit that makes the checks pass. */
export function repairAgent(given: RepairAgentOptions): Agent {
  if (given.checks.length === 0 || given.checks.some(([program = '']) => program === '')) {
    const message = 'The repair agent needs checks: give at least one command that fails now.'
    throw new LoopError('bad-request', message)
  }
  const options: RepairSettings = {
    ...defaults,
    workers: Math.min(2, availableParallelism()),
    ...given,
  }
  return {
    async work(task, context) {
      const { workspace } = context
      if (workspace === undefined) {
        const message = 'The repair agent needs a workspace: name the folder of the project.'
        throw new LoopError('not-configured', message)
      }
      const timeMs = Math.min(options.timeMs, shareOfRemaining * context.remaining().timeMs)
      // The parsers are loaded by those who use them.
      const { repair } = await import('./repair.ts')
      return repair({ ...options, timeMs }, workspace, task.prompt, context)
    },
  }
}
