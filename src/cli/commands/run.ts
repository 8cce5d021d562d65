/** Commands that start or continue a run: run, resume, fork, retry, watch. */

import type { Command } from 'commander'
import { isLoopError, LoopError } from '../../loop/index.ts'
import { addCheckOption } from '../check-option.ts'
import { visible } from '../display/render.ts'
import type { ForkCommandOptions } from '../fork-here.ts'
import type { InlineOptions } from '../inline-loop.ts'
import { reach } from '../reach.ts'
import type { ResumeOptions } from '../resume-here.ts'
import type { RunOptions } from '../run-here.ts'
import {
  addAttendedOption,
  addChangeOptions,
  addLimitOptions,
  addLoadOptions,
  addSettingOptions,
  addTrustOption,
  addWorktreeOptions,
  priority,
} from '../run-options.ts'
import type { DetachOption, RetryOptions } from '../run-there.ts'
import { folderName, openSession, wholeNumber } from '../session.ts'

const runExamples = `
Without a file, --agent defaults to the only agent that is installed, and --check to what init would propose.

Examples:
  loopctl run                                    run the only loop file in loops/
  loopctl run loops/fix.yaml --dry-run
  loopctl run --agent claude --check 'npm test' -p 'Fix the failing test.'
  loopctl run --check unit='npm test' --check 'npx tsc --noEmit' -p @task.md`

export function addRunning(program: Command): void {
  const run = program
    .command('run [file]')
    .description('run a loop file, or a task without one, and watch it; Ctrl-C leaves it running')
    .option('--agent <name>', 'without a file: claude, codex, …, provider/model, or a command')
    .option('--name <name>', 'a name for the run (default: generated)')
    .option(
      '--workspace <folder>',
      'where to work (default: that of the file, else the current folder)',
      folderName,
    )
    .option('--again', 'run even if this exact attempt was already made')
    .option('--skip-preflight', 'start without the preflight')
    .option('--detach', 'return once the daemon has accepted it')
    .option('--priority <n>', 'queue priority, -100 to 100', priority)
    .option('--pick', 'choose the loop file from loops/ and this folder')
    .option('--dry-run', 'print the plan, the first prompt and the possible cost; start nothing')
  addCheckOption(run, 'without a file: the run ends when this command passes; repeatable')
  addWorktreeOptions(addLoadOptions(addAttendedOption(addLimitOptions(addChangeOptions(run)))))
  addSettingOptions(run)
  run.addHelpText('after', runExamples)
  run.action((file: string | undefined, options: RunOptions) => startRun(program, file, options))

  const resume = program
    .command('resume <run>')
    .description('resume an interrupted or paused run')
    .option('--from <iteration>', 'go back to the checkpoint after this iteration', wholeNumber)
    .option('--force', 'resume although the loop changed; restarts the iteration')
    .option('--keep-files', 'keep the files as they are now, even if a step was interrupted')
    .option('--workspace <folder>', 'where its files are now, if they were moved', folderName)
    .option('--file <file>', 'the loop file, if it was moved')
    .option('--detach', 'return once the daemon has accepted it')
  addTrustOption(addAttendedOption(resume))
  resume.action((name: string, options: ResumeOptions) => resumeRun(program, name, options))

  const fork = program
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
      "an empty folder (default: a worktree, or a new folder next to the other run's)",
      folderName,
    )
    .option('--file <file>', 'another loop file, to compare')
    .option('--detach', 'return once the daemon has accepted it')
  addLoadOptions(addAttendedOption(addLimitOptions(addChangeOptions(fork))))
  fork.action((name: string, options: ForkCommandOptions) => forkRun(program, name, options))
  addRetrying(program)
}

function addRetrying(program: Command): void {
  const retry = program
    .command('retry <run>')
    .description('start a new run that retries an unsuccessful one')
    .option('--name <name>', 'a name for the new run')
    .option('--detach', 'return once the daemon has accepted it')
  addTrustOption(addAttendedOption(retry))
  retry.action((name: string, options: RetryOptions) => retryRun(program, name, options))
  program
    .command('watch <run>')
    .description('watch a run and answer its questions; Ctrl-C leaves it running')
    .action((name: string) => watch(program, name))
}

/** Through the daemon or here; what is shown is the same. */
async function startRun(
  program: Command,
  named: string | undefined,
  given: RunOptions & DetachOption & InlineOptions,
): Promise<void> {
  const { chooseRunLoop } = await import('../inline-loop.ts')
  const { file, options, isInline, close } = await chooseRunLoop(program, named, given)
  try {
    await startFile(program, file, options, isInline).catch(async (error: unknown) => {
      if (!(await isAllowedInPlace(program, error))) throw error
      await startFile(program, file, { ...options, inPlace: true }, isInline)
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
  file: string,
  options: RunOptions & DetachOption,
  isInline: boolean,
): Promise<void> {
  if (options.dryRun === true) {
    const { dryRun } = await import('../dry-run.ts')
    return dryRun(program, file, options)
  }
  const way = await reach(program, 'drive', async (folder) => {
    const { requireAgreed } = await import('../trust.ts')
    await requireAgreed(openSession(program), folder, file, options.trust === true)
  })
  const { agreeOnDependencies } = await import('../agree-on-dependencies.ts')
  const agreed = await agreeOnDependencies(program, file, options)
  if (way.type === 'daemon') {
    if (isInline && way.folder === undefined) throw farAway()
    const { runThere } = await import('../run-there.ts')
    return runThere(program, way, file, agreed)
  }
  requireWatching(agreed)
  const { runHere } = await import('../run-here.ts')
  await runHere(program, file, agreed)
}

/** A daemon with another state folder cannot read the loop, which is stored in ours. */
const farAway = (): LoopError =>
  new LoopError(
    'bad-request',
    'The daemon at this address uses another state folder and cannot read this loop. Write a loop file that it can read: loopctl init',
  )

async function resumeRun(
  program: Command,
  name: string,
  options: ResumeOptions & DetachOption,
): Promise<void> {
  const way = await reach(program, 'drive')
  if (way.type === 'daemon') {
    const { resumeThere } = await import('../run-there.ts')
    return resumeThere(openSession(program), way, name, options)
  }
  requireWatching(options)
  const { resumeHere } = await import('../resume-here.ts')
  await resumeHere(program, name, options)
}

async function forkRun(
  program: Command,
  name: string,
  options: ForkCommandOptions & DetachOption,
): Promise<void> {
  const way = await reach(program, 'drive')
  if (way.type === 'daemon') {
    const { forkThere } = await import('../run-there.ts')
    return forkThere(openSession(program), way, name, options)
  }
  requireWatching(options)
  const { forkHere } = await import('../fork-here.ts')
  await forkHere(program, name, options)
}

async function retryRun(program: Command, name: string, options: RetryOptions): Promise<void> {
  const way = await reach(program, 'drive')
  if (way.type === 'daemon') {
    const { retryThere } = await import('../run-there.ts')
    return retryThere(openSession(program), way, name, options)
  }
  throw new LoopError(
    'not-available',
    'retry needs the daemon: omit --no-daemon, or run the loop file again.',
  )
}

async function watch(program: Command, name: string): Promise<void> {
  const way = await reach(program, 'look')
  if (way.type === 'daemon') {
    const { watchThere } = await import('../run-there.ts')
    return watchThere(openSession(program), way, name)
  }
  const message = 'The daemon is not running.'
  throw new LoopError('not-available', `${message} See its events: loopctl tail -f ${name}`)
}

/** Without a daemon a run lives in this process, and ends with it. */
function requireWatching({ detach = false }: DetachOption): void {
  if (!detach) return
  throw new LoopError(
    'bad-request',
    '--detach and --no-daemon (or LOOP_USE_DAEMON=0) conflict; use one.',
  )
}
