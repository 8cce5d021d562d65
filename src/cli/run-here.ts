/** Runs a loop file in this process, and follows it to its end. */

import { homedir } from 'node:os'
import { parse, resolve } from 'node:path'
import type { Command } from 'commander'
import type { LoadedLoop, RunPlace } from '../host/index.ts'
import { LoopError } from '../loop/index.ts'
import { withLoop } from './drive-loop.ts'
import { lookAtEnd } from './look-at-end.ts'
import { outputFiles } from './output-files.ts'
import { showPlan } from './plan.ts'
import {
  type AttendedOption,
  type ChangeOptions,
  changesFrom,
  type LimitOptions,
  type LoadOptions,
  limitsFrom,
  type WorktreeOptions,
  worktreeFrom,
} from './run-options.ts'
import { openSession, withNewRecord } from './session.ts'
import { changed, fromWhere, notesOn, whereOf } from './told-place.ts'

export interface RunOptions
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

export async function runHere(program: Command, file: string, options: RunOptions): Promise<void> {
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
        const { planWorktree } = await import('../host/worktree-options.ts')
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
export async function inPlace(place: RunPlace, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } finally {
    await place.leave()
  }
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
