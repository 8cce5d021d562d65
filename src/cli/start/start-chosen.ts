/** Starts a run of a chosen loop, or prints what it would do. */

import type { Command } from 'commander'
import { isLoopError, LoopError } from '../../loop/index.ts'
import { visible } from '../display/render.ts'
import type { ChosenLoop } from '../inline-loop.ts'
import { openSession } from '../session.ts'
import type { DetachOption, RunOptions } from './start-options.ts'
import { withStarter } from './with-starter.ts'

export async function startChosen(
  program: Command,
  chosen: ChosenLoop<RunOptions & DetachOption>,
): Promise<void> {
  const { options, close } = chosen
  try {
    await startFile(program, chosen).catch(async (error: unknown) => {
      if (!(await isAllowedInPlace(program, error))) throw error
      await startFile(program, { ...chosen, options: { ...options, inPlace: true } })
    })
  } finally {
    await close()
  }
}

/** Files that are in no commit are changed only after the user confirms. */
async function isAllowedInPlace(program: Command, error: unknown): Promise<boolean> {
  const { terminal } = openSession(program)
  if (!isLoopError(error, 'needs-in-place') || !terminal.asks) return false
  const { confirm } = await import('../ask.ts')
  process.stdout.write(`${visible(error.message)}\n`)
  return confirm('Change files in this folder directly?')
}

async function startFile(
  program: Command,
  { file, options, isInline, rule }: ChosenLoop<RunOptions & DetachOption>,
): Promise<void> {
  if (options.dryRun === true) {
    const { dryRun } = await import('./dry-run.ts')
    return dryRun(program, file, options, rule)
  }
  const { agreeOnDependencies } = await import('./agree-on-dependencies.ts')
  const { startRun } = await import('./start-runs.ts')
  const beforeStart = async (folder: string): Promise<void> => {
    const { requireAgreed } = await import('../trust.ts')
    await requireAgreed(openSession(program), folder, file, options.trust === true)
  }
  await withStarter(program, { ...options, beforeStart }, async (starter) => {
    const agreed = await agreeOnDependencies(program, file, options)
    if (isInline && starter.folder === undefined) throw farAway()
    await startRun(program, starter, file, agreed)
  })
}

/** A daemon with another state folder cannot read the loop, which is stored in ours. */
const farAway = (): LoopError =>
  new LoopError(
    'bad-request',
    'The daemon at this address uses another state folder and cannot read this loop. Write a loop file that it can read: loopctl init',
  )
