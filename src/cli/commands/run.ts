/** Commands that have a run driven: run, resume, fork. */

import type { Command } from 'commander'
import type { ForkCommandOptions } from '../fork-here.ts'
import type { ResumeOptions } from '../resume-here.ts'
import type { RunOptions } from '../run-here.ts'
import {
  addAttendedOption,
  addChangeOptions,
  addLimitOptions,
  addLoadOptions,
  addTrustOption,
  addWorktreeOptions,
} from '../run-options.ts'
import { folderName, wholeNumber } from '../session.ts'

export function addRunning(program: Command): void {
  const run = program
    .command('run <file>')
    .description('run a loop file here and watch it; Ctrl-C leaves it so that it can be resumed')
    .option('--name <name>', 'a name for the run (default: one is made up)')
    .option(
      '--workspace <folder>',
      'where to work (default: as the file says, else here)',
      folderName,
    )
    .option('--again', 'also what was tried before with the very same files and words')
    .option('--dry-run', 'show what would be run, and the first prompt; nothing is started')
  addWorktreeOptions(addLoadOptions(addAttendedOption(addLimitOptions(addChangeOptions(run)))))
  run.action((file: string, options: RunOptions) => startRun(program, file, options))

  const resume = program
    .command('resume <run>')
    .description('go on with a run that was left, paused, or whose process died')
    .option('--from <iteration>', 'go back to the checkpoint after this iteration', wholeNumber)
    .option('--force', 'though the loop changed in mid-iteration: the iteration starts anew')
    .option('--keep-files', 'with the files as they are now, though a step was cut short')
    .option('--workspace <folder>', 'where its files are now, if they were moved', folderName)
    .option('--file <file>', 'the loop file, if it was moved')
  addTrustOption(addAttendedOption(resume))
  resume.action((name: string, options: ResumeOptions) => resumeRun(program, name, options))

  const fork = program
    .command('fork <run>')
    .description("go on from another run's checkpoint, as a run of its own, and compare")
    .option(
      '--at <iteration>',
      'after this iteration, 0 is the beginning (default: the last checkpoint)',
      wholeNumber,
    )
    .option('--name <name>', 'a name for the new run')
    .option(
      '--workspace <folder>',
      "an empty folder (default: a worktree, or a new folder beside the other's)",
      folderName,
    )
    .option('--file <file>', 'another loop file, to compare')
  addLoadOptions(addAttendedOption(addLimitOptions(addChangeOptions(fork))))
  fork.action((name: string, options: ForkCommandOptions) => forkRun(program, name, options))
}

async function startRun(program: Command, file: string, options: RunOptions): Promise<void> {
  const { runHere } = await import('../run-here.ts')
  await runHere(program, file, options)
}

async function resumeRun(program: Command, name: string, options: ResumeOptions): Promise<void> {
  const { resumeHere } = await import('../resume-here.ts')
  await resumeHere(program, name, options)
}

async function forkRun(program: Command, name: string, options: ForkCommandOptions): Promise<void> {
  const { forkHere } = await import('../fork-here.ts')
  await forkHere(program, name, options)
}
