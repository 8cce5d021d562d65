/** Commands that drive a run here, in the foreground: run, resume, fork. */

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { parse, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Host, Inspection, LoadedLoop, OpenedLoop, RunHandle } from '../../host/index.ts'
import { isLoopError, LoopError } from '../../loop/index.ts'
import { visible } from '../display/render.ts'
import { interruptedExitCode } from '../exit-codes.ts'
import { createForeground, type From } from '../foreground.ts'
import { outputFiles } from '../output-files.ts'
import { showPlan } from '../plan.ts'
import {
  type AttendedOption,
  addAttendedOption,
  addLimitOptions,
  addLoadOptions,
  addTrustOption,
  type LimitOptions,
  type LoadOptions,
  limitsFrom,
} from '../run-options.ts'
import { folderName, openSession, type Session, wholeNumber, withNewRecord } from '../session.ts'
import { type LoadManner, loadTrusted } from '../trust.ts'

interface RunOptions extends LoadOptions, LimitOptions, AttendedOption {
  readonly name?: string
  readonly workspace?: string
  readonly dryRun?: boolean
}

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
    .option('--dry-run', 'show what would be run, and the first prompt; nothing is started')
  addLoadOptions(addAttendedOption(addLimitOptions(run)))
  run.action((file: string, options: RunOptions) => startRun(program, file, options))

  const resume = program
    .command('resume <run>')
    .description('go on with a run that was left, paused, or whose process died')
    .option('--from <iteration>', 'go back to the checkpoint after this iteration', wholeNumber)
    .option('--force', 'though the loop changed in mid-iteration: the iteration starts anew')
    .option('--workspace <folder>', 'where its files are now, if they were moved', folderName)
    .option('--file <file>', 'the loop file, if it was moved')
  addTrustOption(addAttendedOption(resume))
  resume.action((name: string, options: ResumeOptions) => resumeRun(program, name, options))

  const fork = program
    .command('fork <run>')
    .description("start a run of its own from another's checkpoint")
    .option('--iteration <n>', 'after this iteration (default: the last checkpoint)', wholeNumber)
    .option('--name <name>', 'a name for the new run')
    .option(
      '--workspace <folder>',
      "an empty folder (default: a new one beside the other's)",
      folderName,
    )
    .option('--file <file>', 'another loop file, to compare')
  addLoadOptions(addAttendedOption(addLimitOptions(fork)))
  fork.action((name: string, options: ForkCommandOptions) => forkRun(program, name, options))
}

async function startRun(program: Command, file: string, options: RunOptions): Promise<void> {
  const session = openSession(program)
  const purpose = options.dryRun === true ? 'look' : 'run'
  await withNewRecord(program, (host) =>
    withLoop(session, host, file, { ...options, purpose }, async (loaded, drive) => {
      const workspace = workspaceFor(options.workspace, loaded)
      const limits = { ...loaded.limits, ...limitsFrom(options) }
      if (options.dryRun === true) return showPlan(session, loaded, limits, workspace)
      await drive(workspace, async (opened, signal) => {
        const handle = await host.start(loaded.loop, {
          ...opened.parts,
          input: loaded.input,
          limits,
          workspace,
          source: loaded.source,
          signal,
          ...(options.name === undefined ? {} : { name: options.name }),
        })
        return { handle, before: undefined, title: `${loaded.loop.name}  in ${workspace}` }
      })
    }),
  )
}

/** Whoever is at home by chance does not want an agent to work on all of it. */
function workspaceFor(given: string | undefined, loaded: LoadedLoop): string {
  const workspace = resolve(given ?? loaded.workspace)
  const isTooMuch = workspace === homedir() || workspace === parse(workspace).root
  if (given !== undefined || !isTooMuch) return workspace
  throw new LoopError(
    'bad-request',
    `The loop would work on all of ${workspace}. Go to the folder it is for, or name one with --workspace.`,
  )
}

interface ResumeOptions extends LoadOptions, AttendedOption {
  readonly from?: number
  readonly force?: boolean
  readonly workspace?: string
  readonly file?: string
}

async function resumeRun(program: Command, name: string, options: ResumeOptions): Promise<void> {
  const session = openSession(program)
  await withNewRecord(program, async (host) => {
    const before = await host.inspect(name)
    const file = fileOf(before, options.file)
    const moved = options.workspace === undefined ? {} : { workspace: resolve(options.workspace) }
    await withLoop(session, host, file, { ...options, purpose: 'resume' }, (loaded, drive) =>
      drive(moved.workspace ?? before.run.workspace, async (opened, signal) => {
        const handle = await host.resume(before.run.id, loaded.loop, {
          ...opened.parts,
          ...moved,
          signal,
          force: options.force === true,
          ...(options.from === undefined ? {} : { fromIteration: options.from }),
        })
        const title = `${loaded.loop.name}  resumed after iteration ${before.state.iteration}`
        return { handle, before, title }
      }),
    )
  })
}

interface ForkCommandOptions extends LoadOptions, LimitOptions, AttendedOption {
  readonly iteration?: number
  readonly name?: string
  readonly workspace?: string
  readonly file?: string
}

async function forkRun(program: Command, name: string, options: ForkCommandOptions): Promise<void> {
  const session = openSession(program)
  await withNewRecord(program, async (host) => {
    const from = await host.inspect(name)
    const iteration = options.iteration ?? from.checkpoints.at(-1)?.iteration ?? 0
    const workspace = forkFolder(from, options.workspace, iteration)
    await withLoop(session, host, fileOf(from, options.file), options, (loaded, drive) =>
      drive(workspace, async (opened, signal) => {
        const handle = await host.fork(from.run.id, loaded.loop, {
          ...opened.parts,
          iteration,
          signal,
          source: loaded.source,
          limits: limitsFrom(options),
          ...(workspace === undefined ? {} : { workspace }),
          ...(options.name === undefined ? {} : { name: options.name }),
          ...(options.input === undefined ? {} : { input: loaded.input }),
        })
        const where = workspace === undefined ? '' : `  in ${workspace}`
        const what = `${loaded.loop.name}  forked from ${from.run.name} after iteration ${iteration}`
        return { handle, before: undefined, title: `${what}${where}` }
      }),
    )
  })
}

interface Started extends From {
  readonly handle: RunHandle
}

/** Opens what the run needs, starts it, and follows it to its end. */
type Drive = (
  workspace: string | undefined,
  start: (opened: OpenedLoop, signal: AbortSignal) => Promise<Started>,
) => Promise<void>

/** Loads a loop file for one run, and ends whatever it opened. */
async function withLoop(
  session: Session,
  host: Host,
  file: string,
  options: LoadOptions & AttendedOption & Pick<LoadManner, 'purpose'>,
  work: (loaded: LoadedLoop, drive: Drive) => Promise<void>,
): Promise<void> {
  const { folder } = host
  const { purpose = 'run' } = options
  const foreground = createForeground(session)
  let loaded: LoadedLoop | undefined
  try {
    const manner = { purpose, watched: foreground }
    loaded = await loadTrusted(session, folder, file, options, manner)
    const { open } = loaded
    await work(loaded, async (workspace, start) => {
      const { signal } = foreground
      const opened = await open({
        folder,
        workspace,
        signal,
        apart: outputFiles(),
        attended: session.terminal.asks || options.attended === true,
        models: host.models,
      })
      for (const problem of opened.problems) foreground.say(`warning: ${visible(problem)}`)
      foreground.signal.throwIfAborted()
      const { handle, ...from } = await start(opened, foreground.signal)
      await foreground.follow(host, handle, from)
    })
  } catch (error) {
    // Whoever interrupts before there is a run wants no run.
    if (!foreground.signal.aborted || isLoopError(error)) throw error
    process.exitCode = interruptedExitCode
  } finally {
    foreground.close()
    await loaded?.close()
  }
}

function fileOf({ run, state }: Inspection, given: string | undefined): string {
  const file = given ?? state.source?.file
  if (file === undefined) {
    throw new LoopError(
      'bad-request',
      `Run "${run.name}" was started by a program, not from a loop file: resume it there, or name a loop file with --file.`,
    )
  }
  if (given !== undefined || existsSync(file)) return file
  throw new LoopError(
    'not-configured',
    `The loop file of run "${run.name}" is gone: ${file}. Put it back, or name it with --file.`,
  )
}

function forkFolder(
  { run }: Inspection,
  given: string | undefined,
  iteration: number,
): string | undefined {
  if (given !== undefined) return resolve(given)
  if (run.workspace === undefined) return undefined
  const beside = `${run.workspace}-fork-${iteration}`
  if (!existsSync(beside)) return beside
  let number = 2
  while (existsSync(`${beside}-${number}`)) number++
  return `${beside}-${number}`
}
