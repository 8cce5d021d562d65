/** Goes on with a run in this process. */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Inspection } from '../history/inspect-run.ts'
import { defined, LoopError } from '../loop/index.ts'
import { replayRun } from './commands/replay.ts'
import { fileOf, withLoop } from './drive-loop.ts'
import { lookAtEnd } from './look-at-end.ts'
import type { AttendedOption, LoadOptions } from './run-options.ts'
import { openSession, withNewRecord } from './session.ts'
import { changed, whereOf } from './told-place.ts'

export interface ResumeOptions extends LoadOptions, AttendedOption {
  readonly from?: number
  readonly force?: boolean
  readonly keepFiles?: boolean
  readonly workspace?: string
  readonly file?: string
}

export async function resumeHere(
  program: Command,
  name: string,
  options: ResumeOptions,
): Promise<void> {
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
          ...defined({ fromIteration: options.from }),
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
