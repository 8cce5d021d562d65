/** Commands that have a run driven: run, resume, fork. */

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
Without a file, --agent is by default the one that is installed, and --check what init would propose.

Examples:
  loopctl run                                    the only loop file in loops/
  loopctl run loops/fix.yaml --dry-run
  loopctl run --agent claude --check 'npm test' -p 'Fix the failing test.'
  loopctl run --check unit='npm test' --check 'npx tsc --noEmit' -p @task.md`

export function addRunning(program: Command): void {
  const run = program
    .command('run [file]')
    .description('run a loop file, or a task without one, and watch it; Ctrl-C leaves it running')
    .option('--agent <name>', 'without a file: claude, codex, …, provider/model, or a command')
    .option('--name <name>', 'a name for the run (default: one is made up)')
    .option(
      '--workspace <folder>',
      'where to work (default: as the file says, else here)',
      folderName,
    )
    .option('--again', 'also what was tried before with the very same files and words')
    .option('--skip-preflight', 'begin without trying the checks on the base first')
    .option('--detach', 'return once the daemon has accepted it')
    .option('--priority <n>', 'before others in a queue by priority: -100 to 100', priority)
    .option('--pick', 'choose the loop file from loops/ and this folder')
    .option(
      '--dry-run',
      'show what would be run, the first prompt and what it may cost; nothing is started',
    )
  addCheckOption(run, 'without a file: the run ends when this command passes; repeatable')
  addWorktreeOptions(addLoadOptions(addAttendedOption(addLimitOptions(addChangeOptions(run)))))
  addSettingOptions(run)
  run.addHelpText('after', runExamples)
  run.action((file: string | undefined, options: RunOptions) => startRun(program, file, options))

  const resume = program
    .command('resume <run>')
    .description('go on with a run that was left, paused, or whose process died')
    .option('--from <iteration>', 'go back to the checkpoint after this iteration', wholeNumber)
    .option('--force', 'though the loop changed in mid-iteration: the iteration starts anew')
    .option('--keep-files', 'with the files as they are now, though a step was cut short')
    .option('--workspace <folder>', 'where its files are now, if they were moved', folderName)
    .option('--file <file>', 'the loop file, if it was moved')
    .option('--detach', 'return once the daemon has accepted it')
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
    .option('--detach', 'return once the daemon has accepted it')
  addLoadOptions(addAttendedOption(addLimitOptions(addChangeOptions(fork))))
  fork.action((name: string, options: ForkCommandOptions) => forkRun(program, name, options))
  addRetrying(program)
}

function addRetrying(program: Command): void {
  const retry = program
    .command('retry <run>')
    .description('try again what a run that has ended was to do, as a run of its own')
    .option('--name <name>', 'a name for the new run')
    .option('--detach', 'return once the daemon has accepted it')
  addTrustOption(addAttendedOption(retry))
  retry.action((name: string, options: RetryOptions) => retryRun(program, name, options))
  program
    .command('watch <run>')
    .description('watch a run that the daemon drives, and answer what it asks; Ctrl-C leaves it')
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

/** A folder that no commit keeps is changed only after a yes. */
async function isAllowedInPlace(program: Command, error: unknown): Promise<boolean> {
  const { terminal } = openSession(program)
  if (!isLoopError(error, 'needs-in-place') || !terminal.asks) return false
  const { confirm } = await import('../ask.ts')
  process.stdout.write(`${visible(error.message)}\n`)
  return confirm('Work in the folder itself?')
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
  if (way.type === 'daemon') {
    if (isInline && way.folder === undefined) throw farAway()
    const { runThere } = await import('../run-there.ts')
    return runThere(program, way, file, options)
  }
  requireWatching(options)
  const { runHere } = await import('../run-here.ts')
  await runHere(program, file, options)
}

/** What is kept in our state folder is not there for a daemon that has another. */
const farAway = (): LoopError =>
  new LoopError(
    'bad-request',
    'The daemon at this address has another state folder, and cannot read a loop without a file. Write one where it can: loopctl init',
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
    'A run is tried again by a daemon: leave --no-daemon away, or run its loop file again.',
  )
}

async function watch(program: Command, name: string): Promise<void> {
  const way = await reach(program, 'look')
  if (way.type === 'daemon') {
    const { watchThere } = await import('../run-there.ts')
    return watchThere(openSession(program), way, name)
  }
  const message = 'No daemon runs here, and none drives this run.'
  throw new LoopError('not-available', `${message} See its events: loopctl tail -f ${name}`)
}

/** Without a daemon a run lives in this process, and ends with it. */
function requireWatching({ detach = false }: DetachOption): void {
  if (!detach) return
  throw new LoopError(
    'bad-request',
    '--detach leaves a run to the daemon, and --no-daemon (or LOOP_USE_DAEMON=0) wants none. Say one.',
  )
}
