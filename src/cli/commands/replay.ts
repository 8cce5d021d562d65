/** The command that does a run again from its record, offline and free: replay. */

import type { Command } from 'commander'
import type { DriveEnd } from '../../engine/index.ts'
import type { Host } from '../../host/host.ts'
import type { Replay, ReplayResult } from '../../launch/replay/replay.ts'
import { defined, describeOutcome } from '../../loop/index.ts'
import type { RunHandle } from '../../runs/run-handle.ts'
import { plural, renderCount, renderMoney } from '../display/amounts.ts'
import { visible } from '../display/render.ts'
import { fileOf, type Started, withLoop } from '../drive-loop.ts'
import { divergedExitCode } from '../exit-codes.ts'
import { type AttendedOption, addAttendedOption, addTrustOption } from '../run-options.ts'
import { folderName, type Session, withRecord } from '../session.ts'
import type { Epilogue } from '../show-run.ts'

export interface ReplayCommandOptions extends AttendedOption {
  readonly workspace?: string
  readonly file?: string
  readonly name?: string
  readonly trust?: boolean
}

export function addReplaying(program: Command): void {
  const replay = program
    .command('replay <run>')
    .description('do a run again from its record, offline and free, and say where it differs')
    .option('--name <name>', 'a name for the new run')
    .option(
      '--workspace <folder>',
      'an empty folder (default: one in the record, removed when all is the same)',
      folderName,
    )
    .option('--file <file>', 'another loop file, to see what it changes')
  addTrustOption(addAttendedOption(replay))
  replay.action((name: string, options: ReplayCommandOptions) =>
    withRecord(program, (host, session) => replayRun(session, host, name, options)),
  )
}

/** With `resume` a replay that was left goes on. */
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
    const file = fileOf(replay.original, options.file)
    if (options.file === undefined) await requireSameFile(host, replay, file)
    const { changes } = replay.original.state.source ?? {}
    const loading = { ...options, purpose: 'resume', changes } as const
    await withLoop(session, host, file, loading, async (loaded, drive) => {
      const { workspace, answers } = replay
      const apart = await replay.bringFiles(loaded.files)
      // Paths stand in what agents were told and said.
      const place = { workspace, replay: answers, apart, shownAs: replay.original.run.workspace }
      await drive(place, async (opened, watched) => {
        const before = options.resume === true ? await host.inspect(name) : undefined
        const handle = await replay.start(loaded.loop, {
          ...opened.parts,
          source: loaded.source,
          ...watched,
          changedFile: options.file !== undefined,
          ...defined({ name: options.name }),
        })
        started = true
        return { ...told(replay, handle), before }
      })
    })
  } finally {
    if (!started && options.resume !== true) await replay.removeFiles()
  }
}

/** A file that changed is mostly not trusted either, and that would be the wrong advice. */
async function requireSameFile({ folder }: Host, replay: Replay, file: string): Promise<void> {
  const { previewLoop } = await import('../../launch/load-loop.ts')
  replay.requireFile((await previewLoop(file, folder, 'resume')).digest)
}

function told(replay: Replay, handle: RunHandle): Omit<Started, 'before'> {
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
  handle: RunHandle,
  end: DriveEnd,
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
    ...(end === undefined ? [] : [`as far as it goes: ${end}`]),
    `${plural(exchanges, 'exchange')} replayed, 0 requests sent, nothing paid ` +
      `(the record: ${renderMoney(recorded.costMicros)}, ${renderCount(recorded.tokens)} tokens)`,
    ...(known > 0
      ? []
      : ['No exchange with a model is on record: the agent itself was run again.']),
  ]
}

const keptIn = (kept: string | undefined, { name }: RunHandle): readonly string[] =>
  kept === undefined ? [] : [`Its files are in ${kept}. To remove them: loopctl rm ${name}`]
