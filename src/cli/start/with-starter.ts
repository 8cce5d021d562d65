/** What starts the runs of a command: a daemon, or this process. */

import type { Command } from 'commander'
import type { Client } from '../../client/index.ts'
import { isLoopError, LoopError } from '../../loop/index.ts'
import type { DrivenHere } from '../connection/in-process.ts'
import { reach } from '../connection/reach.ts'
import { interruptedExitCode } from '../exit-codes.ts'
import { openSession } from '../session.ts'
import { createForeground, type Foreground } from './foreground.ts'
import { outputFiles } from './output-files.ts'
import type { DetachOption } from './start-options.ts'

export interface Starter {
  readonly client: Client
  /** The state folder, if it is on this machine. */
  readonly folder?: string
  /** This process drives the runs. */
  readonly here?: {
    readonly foreground: Foreground
    driven(run: string): DrivenHere | undefined
  }
}

export interface StarterOptions extends DetachOption {
  /** Runs before a daemon is started. */
  readonly beforeStart?: (folder: string) => Promise<void>
}

export async function withStarter(
  program: Command,
  { detach = false, beforeStart }: StarterOptions,
  work: (starter: Starter) => Promise<void>,
): Promise<void> {
  const way = await reach(program, 'drive', beforeStart)
  if (way.type === 'daemon') return work(way)
  if (detach) {
    throw new LoopError(
      'bad-request',
      '--detach and --no-daemon (or LOOP_USE_DAEMON=0) conflict; use one.',
    )
  }
  const foreground = createForeground(openSession(program))
  try {
    await startHere(program, foreground, work)
  } catch (error) {
    // Interrupted before the run was created.
    if (!foreground.signal.aborted || isLoopError(error)) throw error
    process.exitCode = interruptedExitCode
  } finally {
    foreground.close()
  }
}

async function startHere(
  program: Command,
  foreground: Foreground,
  work: (starter: Starter) => Promise<void>,
): Promise<void> {
  const { openHere } = await import('../connection/in-process.ts')
  const { say, signal } = foreground
  const { client, folder, driven, close } = await openHere(program, {
    say,
    signal,
    excludedPaths: outputFiles(),
  })
  try {
    await work({ client, folder, here: { foreground, driven } })
  } finally {
    await close()
  }
}
