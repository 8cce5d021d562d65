/** Goes on from the checkpoint of another run in this process, as a run of its own. */

import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { LoadedLoop, OpenedLoop } from '../launch/loaded-loop.ts'
import { defined } from '../loop/index.ts'
import { type Drive, fileOf, type Started, type Watched, withLoop } from './drive-loop.ts'
import { compareAtEnd } from './fork-epilogue.ts'
import { allAtEnd, lookAtEnd } from './look-at-end.ts'
import { inPlace } from './run-here.ts'
import {
  type AttendedOption,
  type ChangeOptions,
  changesFrom,
  type LimitOptions,
  type LoadOptions,
  limitsFrom,
} from './run-options.ts'
import { openSession, withNewRecord } from './session.ts'
import { changed, notesOn, whereOf } from './told-place.ts'

export interface ForkCommandOptions
  extends LoadOptions,
    LimitOptions,
    ChangeOptions,
    AttendedOption {
  readonly at?: number
  readonly name?: string
  readonly workspace?: string
  readonly file?: string
}

export async function forkHere(
  program: Command,
  name: string,
  options: ForkCommandOptions,
): Promise<void> {
  const session = openSession(program)
  await withNewRecord(program, async (host) => {
    const from = await host.inspect(name)
    const iteration = options.at ?? from.checkpoints.at(-1)?.iteration ?? 0
    const { forkFolder } = await import('../runs/fork-folder.ts')
    const workspace =
      options.workspace === undefined ? forkFolder(from, iteration) : resolve(options.workspace)
    const chosen = {
      iteration,
      ...defined({ workspace, name: options.name }),
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
