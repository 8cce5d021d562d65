/** Commands that start or continue a run: run, resume, fork, retry, watch. */

import type { Command } from 'commander'
import { LoopError } from '../../loop/index.ts'
import { addCheckOption } from '../check-option.ts'
import { reach } from '../connection/reach.ts'
import type { InlineOptions } from '../inline-loop.ts'
import { addLimitOptions } from '../limit-options.ts'
import {
  addAttendedOption,
  addChangeOptions,
  addLoadOptions,
  addSettingOptions,
  addTrustOption,
  addWorktreeOptions,
  priority,
} from '../run-options.ts'
import { folderName, openSession, wholeNumber } from '../session.ts'
import type {
  DetachOption,
  ForkOptions,
  ResumeOptions,
  RetryOptions,
  RunOptions,
} from '../start/start-options.ts'
import { withStarter } from '../start/with-starter.ts'

const runHelp = `
With a spec (a text such as specs/shop.md, or its name), builds it task by task: with the loop file of type build
beside it or in loops/, else with the built-in one. Without a plan, <plans>/<spec>-plan.md or a list of tasks in the
spec is used, or the agent writes one first.
Without a file and a task, runs the only loop file in loops/. With a task and no file, --agent defaults to
the only agent that is installed, and --check to what init would propose.`

export function addRunCommands(program: Command): void {
  const run = program
    .command('run [file] [plan]')
    .description('run a loop file, a spec or a task; Ctrl-C leaves it running')
    .option('--agent <name>', 'without a file: claude, codex, …, provider/model, or a command')
    .option('--name <name>', 'a name for the run (default: generated)')
    .option(
      '--workspace <folder>',
      'where to work (default: as in the file, or this folder)',
      folderName,
    )
    .option('--again', 'run even if this exact attempt was already made')
    .option('--skip-preflight', 'start without the preflight')
    .option('--detach', 'return once the daemon has accepted it')
    .option('--priority <n>', 'queue priority, -100 to 100', priority)
    .option('--pick', 'choose from the loop files and specs here')
    .option('--dry-run', 'print the plan, the first prompt and the possible cost; start nothing')
  addCheckOption(run, 'without a file: the run ends when this command passes; repeatable')
  addWorktreeOptions(addLoadOptions(addAttendedOption(addLimitOptions(addChangeOptions(run)))))
  addSettingOptions(run)
  run.addHelpText('after', runHelp)
  run.action((named: string | undefined, plan: string | undefined, options: RunOptions) =>
    chooseAndStart(program, { named, plan }, options),
  )

  const resumed = program
    .command('resume <run>')
    .description('resume an interrupted or paused run')
    .option('--from <iteration>', 'go back to the checkpoint after this iteration', wholeNumber)
    .option('--force', 'resume even if the loop changed; restarts the iteration')
    .option('--keep-files', 'keep the files as they are now, even if a step was interrupted')
    .option('--workspace <folder>', 'where its files are now, if they were moved', folderName)
    .option('--file <file>', 'the loop file, if it was moved')
    .option('--detach', 'return once the daemon has accepted it')
  addTrustOption(addAttendedOption(resumed))
  resumed.action((name: string, options: ResumeOptions) => resume(program, name, options))

  const forked = program
    .command('fork <run>')
    .description('start a new run from a checkpoint of another')
    .option(
      '--at <iteration>',
      'checkpoint after this iteration; 0: the start (default: the last)',
      wholeNumber,
    )
    .option('--name <name>', 'a name for the new run')
    .option(
      '--workspace <folder>',
      'an empty folder (default: a new worktree or folder)',
      folderName,
    )
    .option('--file <file>', 'another loop file, to compare')
    .option('--detach', 'return once the daemon has accepted it')
  addLoadOptions(addAttendedOption(addLimitOptions(addChangeOptions(forked))))
  forked.action((name: string, options: ForkOptions) => fork(program, name, options))
  addRetrying(program)
}

function addRetrying(program: Command): void {
  const retried = program
    .command('retry <run>')
    .description('start a new run that retries an unsuccessful one')
    .option('--name <name>', 'a name for the new run')
    .option('--detach', 'return once the daemon has accepted it')
  addTrustOption(addAttendedOption(retried))
  retried.action((name: string, options: RetryOptions) => retry(program, name, options))
  program
    .command('watch <run>')
    .description('watch a run and answer its questions')
    .action((name: string) => watchRun(program, name))
}

async function chooseAndStart(
  program: Command,
  named: { readonly named: string | undefined; readonly plan: string | undefined },
  given: RunOptions & DetachOption & InlineOptions,
): Promise<void> {
  const { chooseRunLoop } = await import('../inline-loop.ts')
  const { startChosen } = await import('../start/start-chosen.ts')
  await startChosen(program, await chooseRunLoop(program, named, given))
}

async function resume(
  program: Command,
  name: string,
  options: ResumeOptions & DetachOption,
): Promise<void> {
  const { resumeRun } = await import('../start/start-runs.ts')
  await withStarter(program, options, async (starter) => {
    const session = openSession(program)
    const before = await starter.client.inspect(name)
    if (before.state.origin?.type !== 'replay' || starter.here === undefined) {
      return resumeRun(session, starter, before, options)
    }
    const { resumeReplay } = await import('./replay.ts')
    // A replay is resumed by a separate function.
    starter.here.foreground.close()
    await resumeReplay(program, before, options)
  })
}

async function fork(
  program: Command,
  name: string,
  options: ForkOptions & DetachOption,
): Promise<void> {
  const { forkRun } = await import('../start/start-runs.ts')
  await withStarter(program, options, (starter) =>
    forkRun(openSession(program), starter, name, options),
  )
}

async function retry(program: Command, name: string, options: RetryOptions): Promise<void> {
  const { retryRun } = await import('../start/start-runs.ts')
  await withStarter(program, options, (starter) =>
    retryRun(openSession(program), starter, name, options),
  )
}

async function watchRun(program: Command, name: string): Promise<void> {
  const way = await reach(program, 'look')
  if (way.type === 'daemon') {
    const { watch } = await import('../start/start-runs.ts')
    return watch(openSession(program), way, name)
  }
  const message = 'The daemon is not running.'
  throw new LoopError('not-available', `${message} See its events: loopctl tail -f ${name}`)
}
