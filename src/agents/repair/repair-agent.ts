/**
 * An agent without a model, a key or a network: it searches for a small edit of the source that
 * makes the checks pass.
 *
 * 1. Which tests fail, and which code each of them runs, determines what is suspected; operators
 *   determine what to try.
 * 2. One call tries a limited number of edits for a limited time. The rest is left to the next
 *   call: the report contains the position of the search (E3).
 * 3. It changes one source file, and only if the checks themselves, run as usual in fresh
 *   processes, then pass (E5). Tests, configuration and everything else stay unchanged.
 * 4. Some tests are held back from the search. Passing is not the same as correct, and the report
 *   says so.
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
  /** Determines which tests are held back. */
  readonly seed?: number
  /** For one call. */
  readonly candidatesMax?: number
  readonly timeMs?: number
  readonly checkTimeoutMs?: number
  /** The share of tests that the search never sees. Default: 0.3. */
  readonly heldBackShare?: number
  /** Processes that try edits in parallel. Default: at most two. */
  readonly workers?: number
  /** Files of the project that are loaded before its tests. */
  readonly preload?: readonly string[]
  /** The program that runs JavaScript, where commands run. */
  readonly node?: string
  /** The path of the workspace where commands run, if it differs. */
  readonly sandboxPath?: string
  /** @deprecated Use `sandboxPath`. */
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
/** Leaves time to run the checks on what is found last. */
const shareOfRemaining = 0.8

/** An agent without a model: it searches for a small edit that makes the checks pass. */
export function repairAgent(given: RepairAgentOptions): Agent {
  if (given.checks.length === 0 || given.checks.some(([program = '']) => program === '')) {
    const message = 'The repair agent needs checks. Configure at least one command that fails now.'
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
        const message = 'The repair agent needs a workspace. Set the folder of the project.'
        throw new LoopError('not-configured', message)
      }
      const timeMs = Math.min(options.timeMs, shareOfRemaining * context.remaining().timeMs)
      // The parsers are loaded only when used.
      const { repair } = await import('./repair.ts')
      return repair({ ...options, timeMs }, workspace, task.prompt, context)
    },
  }
}
