/** Commands that drive a run here, in the foreground: run, resume, fork. */

import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { parse, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Inspection, LoadedLoop, OpenedLoop, RunPlace } from '../../host/index.ts'
import { LoopError } from '../../loop/index.ts'
import { describeBase, describeCarried } from '../display/render.ts'
import { type Drive, fileOf, type Started, type Watched, withLoop } from '../drive-loop.ts'
import { compareAtEnd } from '../fork-epilogue.ts'
import { allAtEnd, lookAtEnd } from '../look-at-end.ts'
import { outputFiles } from '../output-files.ts'
import { showPlan } from '../plan.ts'
import {
  type AttendedOption,
  addAttendedOption,
  addChangeOptions,
  addLimitOptions,
  addLoadOptions,
  addTrustOption,
  addWorktreeOptions,
  type ChangeOptions,
  changesFrom,
  type LimitOptions,
  type LoadOptions,
  limitsFrom,
  type WorktreeOptions,
  worktreeFrom,
} from '../run-options.ts'
import { folderName, openSession, wholeNumber, withNewRecord } from '../session.ts'
import { replayRun } from './replay.ts'

interface RunOptions
  extends LoadOptions,
    LimitOptions,
    ChangeOptions,
    AttendedOption,
    WorktreeOptions {
  readonly name?: string
  readonly workspace?: string
  readonly dryRun?: boolean
  readonly again?: boolean
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
  const session = openSession(program)
  const purpose = options.dryRun === true ? 'look' : 'run'
  const changes = await changesFrom(options)
  await withNewRecord(program, (host) =>
    withLoop(session, host, file, { ...options, purpose, changes }, async (loaded, drive) => {
      const workspace = workspaceFor(options.workspace, loaded)
      const limits = { ...loaded.limits, ...limitsFrom(options) }
      const worktree = worktreeFrom(loaded.worktree, options)
      // What a file says is no word of whoever runs it.
      const isVouched = options.worktree === true
      if (options.dryRun === true) {
        const { planWorktree } = await import('../../host/worktree-options.ts')
        const planned = await planWorktree(workspace, worktree, { ...host, isVouched })
        return showPlan(session, loaded, limits, workspace, planned)
      }
      const place = await host.place({
        workspace,
        worktree,
        isVouched,
        apart: [...loaded.files, ...outputFiles()],
        ...(options.name === undefined ? {} : { name: options.name }),
      })
      await inPlace(place, () =>
        drive(place, async (opened, watched) => {
          for (const problem of place.problems) watched.onProblem(problem)
          const handle = await host.start(loaded.loop, {
            ...(options.again === true ? { again: true } : {}),
            ...opened.parts,
            input: loaded.input,
            limits,
            place,
            source: loaded.source,
            signal: watched.signal,
          })
          const title = `${loaded.loop.name}${changed(loaded)}${whereOf(place)}${fromWhere(place)}`
          const epilogue = lookAtEnd(session, host, place)
          return { handle, before: undefined, title, notes: notesOn(place), epilogue }
        }),
      )
    }),
  )
}

/** What was made for a run that never began goes again. */
async function inPlace(place: RunPlace, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } finally {
    await place.leave()
  }
}

/** Nobody should have to wonder what is being changed. */
function whereOf({ workspace, worktree, why }: RunPlace): string {
  if (workspace === undefined) return ''
  if (worktree !== undefined) return `  on ${worktree.branch} in ${workspace}`
  return `  in ${workspace}${why === undefined ? '' : `, as it is: ${why}`}`
}

/** What a new one starts from. */
const fromWhere = ({ worktree }: RunPlace): string =>
  worktree === undefined ? '' : `, from ${describeBase(worktree.base)}`

/** What is brought along may hold what is secret. */
function notesOn({ worktree }: RunPlace): readonly string[] {
  const carried = worktree === undefined ? undefined : describeCarried(worktree)
  return carried === undefined ? [] : [`carried over: ${carried}`]
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
  readonly keepFiles?: boolean
  readonly workspace?: string
  readonly file?: string
}

async function resumeRun(program: Command, name: string, options: ResumeOptions): Promise<void> {
  const session = openSession(program)
  await withNewRecord(program, async (host) => {
    const before = await host.inspect(name)
    if (before.state.origin?.type === 'replay') {
      requireNoMoves(before, options)
      return replayRun(session, host, name, { ...options, resume: true })
    }
    const file = fileOf(before, options.file)
    const moved = options.workspace === undefined ? {} : { workspace: resolve(options.workspace) }
    const changes = before.state.source?.changes
    const loading = { ...options, purpose: 'resume', changes } as const
    await withLoop(session, host, file, loading, async (loaded, drive) => {
      const place = await host.placeAgain(before.run.id, moved.workspace)
      await drive(place, async (opened, watched) => {
        const handle = await host.resume(before.run.id, loaded.loop, {
          ...opened.parts,
          ...moved,
          signal: watched.signal,
          force: options.force === true,
          keepFiles: options.keepFiles === true,
          ...(options.from === undefined ? {} : { fromIteration: options.from }),
        })
        const title = `${loaded.loop.name}${changed(loaded)}  resumed after iteration ${before.state.iteration}${whereOf(place)}`
        return { handle, before, title, epilogue: lookAtEnd(session, host, place) }
      })
    })
  })
}

function requireNoMoves({ run }: Inspection, { from, force, workspace }: ResumeOptions): void {
  if (from === undefined && force === undefined && workspace === undefined) return
  throw new LoopError(
    'bad-request',
    `Run "${run.name}" is a replay: it goes on where it was, without --from, --force and --workspace.`,
  )
}

interface ForkCommandOptions extends LoadOptions, LimitOptions, ChangeOptions, AttendedOption {
  readonly at?: number
  readonly name?: string
  readonly workspace?: string
  readonly file?: string
}

async function forkRun(program: Command, name: string, options: ForkCommandOptions): Promise<void> {
  const session = openSession(program)
  await withNewRecord(program, async (host) => {
    const from = await host.inspect(name)
    const iteration = options.at ?? from.checkpoints.at(-1)?.iteration ?? 0
    const workspace = forkFolder(from, options.workspace, iteration)
    const chosen = {
      iteration,
      ...(workspace === undefined ? {} : { workspace }),
      ...(options.name === undefined ? {} : { name: options.name }),
    }
    const inherited = options.file === undefined ? from.state.source?.changes : undefined
    const changes = { ...inherited, ...(await changesFrom(options)) }
    const loading = { ...options, changes }
    const fork = async (loaded: LoadedLoop, drive: Drive): Promise<void> => {
      const place = await host.placeFork(from.run.id, { ...chosen, worktree: loaded.worktree })
      const start = async (opened: OpenedLoop, watched: Watched): Promise<Started> => {
        for (const problem of place.problems) watched.onProblem(problem)
        const handle = await host.fork(from.run.id, loaded.loop, {
          ...opened.parts,
          iteration,
          place,
          ...watched,
          source: loaded.source,
          limits: limitsFrom(options),
          ...(options.input === undefined ? {} : { input: loaded.input }),
        })
        const what = `${loaded.loop.name}${changed(loaded)}  forked from ${from.run.name} after iteration ${iteration}`
        const title = `${what}${whereOf(place)}`
        const epilogue = allAtEnd([lookAtEnd(session, host, place), compareAtEnd(host, handle)])
        return { handle, before: undefined, title, notes: notesOn(place), epilogue }
      }
      await inPlace(place, () => drive(place, start))
    }
    const file = fileOf(from, options.file)
    await inFolder(workspace, () => withLoop(session, host, file, loading, fork))
  })
}

/** It is there before the servers that start in it. One that was made for nothing goes again. */
async function inFolder(folder: string | undefined, work: () => Promise<void>): Promise<void> {
  if (folder === undefined || existsSync(folder)) return work()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    await work()
  } finally {
    // Whoever left before there was a run left nothing in it.
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
  }
}

/** What the command line put in the place of what the file says, now or when the run was created. */
function changed({ source }: LoadedLoop): string {
  const { model, prompt } = source.changes ?? {}
  const words = [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(prompt === undefined ? [] : ['another prompt']),
  ]
  return words.length === 0 ? '' : `  (${words.join(', ')})`
}

function forkFolder(
  { run, state }: Inspection,
  given: string | undefined,
  iteration: number,
): string | undefined {
  if (given !== undefined) return resolve(given)
  if (run.workspace === undefined) return undefined
  // It gets a worktree of its own.
  if (state.worktree !== undefined) return undefined
  if (state.origin?.type === 'replay') {
    const message = `Run "${run.name}" is a replay, in a folder that goes with it.`
    throw new LoopError('bad-request', `${message} Say with --workspace where the fork is to work.`)
  }
  const beside = `${run.workspace}-fork-${iteration}`
  if (!existsSync(beside)) return beside
  let number = 2
  while (existsSync(`${beside}-${number}`)) number++
  return `${beside}-${number}`
}
