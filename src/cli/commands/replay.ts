/** The command that repeats a recorded run, offline and free: replay. */

import type { Command } from 'commander'
import type { Host } from '../../host/host.ts'
import type { Replay, ReplayResult } from '../../launch/replay/replay.ts'
import { defined, describeOutcome, LoopError } from '../../loop/index.ts'
import type { Inspected } from '../connection/runs.ts'
import { plural, renderCount, renderMoney } from '../display/amounts.ts'
import { visible } from '../display/render.ts'
import { divergedExitCode } from '../exit-codes.ts'
import { type AttendedOption, addAttendedOption, addTrustOption } from '../run-options.ts'
import { folderName, openSession, type Session, withExistingHost, withHost } from '../session.ts'
import type { FollowedRun } from '../start/foreground.ts'
import type { RunEnd } from '../start/run-end.ts'
import type { Epilogue } from '../start/show-run.ts'
import type { ResumeOptions } from '../start/start-options.ts'
import { type Started, withLoop } from '../start/with-loop.ts'

export interface ReplayCommandOptions extends AttendedOption {
  readonly workspace?: string
  readonly file?: string
  readonly name?: string
  readonly trust?: boolean
}

export function addReplay(program: Command): void {
  const replay = program
    .command('replay <run>')
    .description('repeat a recorded run offline and report differences')
    .option('--name <name>', 'a name for the new run')
    .option('--workspace <folder>', 'an empty folder (default: a temporary one)', folderName)
    .option('--file <file>', 'another loop file, to see what changes')
  addTrustOption(addAttendedOption(replay))
  replay.action((name: string, options: ReplayCommandOptions) =>
    withExistingHost(program, (host, session) => replayRun(session, host, name, options)),
  )
}

/** `resume` continues an interrupted replay. */
export async function replayRun(
  session: Session,
  host: Host,
  name: string,
  options: ReplayCommandOptions & { readonly resume?: boolean },
): Promise<void> {
  const replay = await host.replay(name, {
    resume: options.resume === true,
    ...defined({ workspace: options.workspace }),
  })
  let started = false
  try {
    const { findLoopFile } = await import('../../launch/start/find-loop-file.ts')
    const file = findLoopFile(replay.original, options.file)
    if (options.file === undefined) await requireSameFile(host, replay, file)
    const { changes } = replay.original.state.source ?? {}
    const loading = { ...options, purpose: 'resume', changes } as const
    await withLoop(session, host, file, loading, async (loaded, drive) => {
      const { workspace, answers } = replay
      const excludedPaths = await replay.bringFiles(loaded.files)
      // Prompts and replies of agents contain paths.
      const place = {
        workspace,
        replay: answers,
        level: replay.original.level,
        excludedPaths,
        sandboxPath: replay.original.run.workspace,
      }
      await drive(place, async (opened, watched) => {
        const before = options.resume === true ? await host.inspect(name) : undefined
        const handle = await replay.start(opened.loop, {
          ...opened.parts,
          source: loaded.source,
          ...watched,
          changedFile: options.file !== undefined,
          ...defined({ name: options.name }),
        })
        started = true
        return { ...toStarted(replay, handle), before }
      })
    })
  } finally {
    if (!started && options.resume !== true) await replay.removeFiles()
  }
}

/** Continues an interrupted replay, in the same folder. */
export async function resumeReplay(
  program: Command,
  { run }: Pick<Inspected, 'run'>,
  options: ResumeOptions,
): Promise<void> {
  const { from, force, workspace } = options
  if (from !== undefined || force !== undefined || workspace !== undefined) {
    throw new LoopError(
      'bad-request',
      `Run "${run.name}" is a replay. Resume it without --from, --force and --workspace.`,
    )
  }
  await withHost(program, (host) =>
    replayRun(openSession(program), host, run.name, { ...options, resume: true }),
  )
}

/** Comes before the trust check: a file that changed is usually not trusted either, and advice to trust it would mislead. */
async function requireSameFile({ folder }: Host, replay: Replay, file: string): Promise<void> {
  const { previewLoop } = await import('../../launch/load-loop.ts')
  replay.requireFile((await previewLoop(file, folder, { purpose: 'resume' })).digest)
}

function toStarted(replay: Replay, handle: FollowedRun): Omit<Started, 'before'> {
  const { workspace } = replay
  const where = workspace === undefined ? '' : `  in ${workspace}`
  return {
    handle,
    title: `replay of ${replay.original.run.name}${where}`,
    isReplay: true,
    epilogue: (end) => epilogueOf(replay, handle, end),
  }
}

async function epilogueOf(
  replay: Replay,
  handle: FollowedRun,
  end: RunEnd,
): Promise<Epilogue | undefined> {
  if (end.type !== 'ended') return undefined
  const result = await replay.result(handle.id)
  if (result.same) await replay.removeFiles()
  const { run, state } = replay.original
  const kept = result.same ? undefined : replay.workspace
  const { describeDifference } = await import('../../launch/replay/find-difference.ts')
  const difference = result.difference && describeDifference(result.difference)
  return {
    lines: [...renderResult(replay, result, difference), ...keptIn(kept, handle)].map(visible),
    value: {
      of: { run: run.id, name: run.name, ...(state.outcome && { outcome: state.outcome }) },
      ...result,
      complete: result.end === undefined,
      ...(result.difference && { difference: { ...result.difference, text: difference } }),
      requests: 0,
      paid: { tokens: 0, costMicros: 0 },
      ...defined({ workspace: kept }),
    },
    exitCode: result.same ? 0 : divergedExitCode,
  }
}

function renderResult(
  { original, exchanges: known }: Replay,
  result: ReplayResult,
  difference: string | undefined,
): readonly string[] {
  const { run, state } = original
  const { exchanges, iterations, recorded, end } = result
  const { outcome } = state
  const how = outcome === undefined ? '' : `, ${describeOutcome(outcome)}`
  return [
    difference === undefined
      ? `the same as ${run.name}: ${plural(iterations, 'iteration')}${end === undefined ? how : ''}`
      : `not the same as ${run.name}: ${difference}`,
    ...(end === undefined ? [] : [`replayed up to the end of the recording: ${end}`]),
    `${plural(exchanges, 'exchange')} replayed, 0 requests sent, nothing paid ` +
      `(recorded: ${renderMoney(recorded.costMicros)}, ${renderCount(recorded.tokens)} tokens)`,
    ...(known > 0 ? [] : ['No exchange with a model was recorded, so the agent itself ran again.']),
  ]
}

const keptIn = (kept: string | undefined, { name }: FollowedRun): readonly string[] =>
  kept === undefined ? [] : [`Its files are in ${kept}. To remove them: loopctl rm ${name}`]
