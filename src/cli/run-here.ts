/** Runs a loop file in this process, and follows it to its end. */

import { homedir } from 'node:os'
import { parse, resolve } from 'node:path'
import type { Command } from 'commander'
import type { LoadedLoop } from '../launch/loaded-loop.ts'
import { defaultLimits, defined, type Limits, LoopError, textOf } from '../loop/index.ts'
import type { RunPlace } from '../runs/run-place.ts'
import { withLoop } from './drive-loop.ts'
import { lookAtEnd } from './look-at-end.ts'
import { outputFiles } from './output-files.ts'
import {
  type AttendedOption,
  askedWorktree,
  type ChangeOptions,
  changesFrom,
  type LimitOptions,
  type LoadOptions,
  limitsFrom,
  type SettingOptions,
  type WorktreeOptions,
} from './run-options.ts'
import { openSession, withNewRecord } from './session.ts'
import { settingsHere } from './settings-here.ts'
import { changed, fromWhere, notesOn, whereOf } from './told-place.ts'

export interface RunOptions
  extends LoadOptions,
    LimitOptions,
    ChangeOptions,
    AttendedOption,
    SettingOptions,
    WorktreeOptions {
  readonly name?: string
  readonly workspace?: string
  readonly dryRun?: boolean
  readonly pick?: boolean
  readonly again?: boolean
  readonly skipPreflight?: boolean
  readonly priority?: number
}

export async function runHere(program: Command, file: string, options: RunOptions): Promise<void> {
  const session = openSession(program)
  const { settings } = await settingsHere(program, session, options)
  const { moreChecks, runLimits, runWorktree } = await import(
    '../definition/config/apply-settings.ts'
  )
  const asked = askedWorktree(options)
  const changes = await changesFrom(options)
  const loading = {
    ...options,
    changes,
    defaultModel: settings.model,
    ...moreChecks(settings.checks),
  }
  await withNewRecord(program, (host) =>
    withLoop(session, host, file, loading, async (loaded, drive) => {
      const workspace = workspaceFor(options.workspace, loaded)
      if (options.skipPreflight !== true) {
        const { requireReady } = await import('../launch/preflight/index.ts')
        const attended = session.terminal.asks || options.attended === true
        await requireReady(loaded, { workspace, folder: host.folder, attended })
      }
      const limits = runLimits(loaded.limits, settings, limitsFrom(options))
      const worktree = runWorktree(loaded.worktree, settings, asked)
      // What a file says is no word of whoever runs it.
      const isVouched = options.worktree === true
      const { nameRun } = await import('../launch/name-run.ts')
      const { name, source: nameSource } = await nameRun(host, {
        ...settings.naming,
        ...defined({ given: options.name }),
        loop: loaded.loop.name,
        about: () => firstPromptOf(loaded, limits, workspace),
      })
      const place = await host.place({
        name,
        workspace,
        worktree,
        needsChoice: true,
        isVouched,
        logDir: settings.artifacts.logDir,
        apart: [...loaded.files, ...outputFiles()],
      })
      await inPlace(place, () =>
        drive(place, async (opened, watched) => {
          for (const problem of place.problems) watched.onProblem(problem)
          const handle = await host.start(loaded.loop, {
            ...(options.again === true ? { again: true } : {}),
            ...(options.skipPreflight === true ? { skipPreflight: true } : {}),
            ...opened.parts,
            input: loaded.input,
            limits,
            place,
            source: loaded.source,
            signal: watched.signal,
          })
          const { recordBeginning } = await import('../launch/start/record-beginning.ts')
          await recordBeginning(host, handle.id, { nameSource, ...settings.artifacts }).catch(
            (error: unknown) => watched.onProblem(textOf(error)),
          )
          const title = `${loaded.loop.name}${changed(loaded)}${whereOf(place)}${fromWhere(place)}`
          const epilogue = lookAtEnd(session, host, place)
          return { handle, before: undefined, title, notes: notesOn(place), epilogue }
        }),
      )
    }),
  )
}

/** What the agent is told is what a model may name it by. */
const firstPromptOf = (loaded: LoadedLoop, limits: Partial<Limits>, workspace: string): string =>
  loaded.firstPrompt({ ...defaultLimits, ...limits }, workspace) ?? loaded.loop.name

/** What was made for a run that never began goes again. */
export async function inPlace(place: RunPlace, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } finally {
    await place.leave()
  }
}

/** Whoever is at home by chance does not want an agent to work on all of it. */
export function workspaceFor(given: string | undefined, loaded: LoadedLoop): string {
  const workspace = resolve(given ?? loaded.workspace)
  const isTooMuch = workspace === homedir() || workspace === parse(workspace).root
  if (given !== undefined || !isTooMuch) return workspace
  throw new LoopError(
    'bad-request',
    `The loop would work on all of ${workspace}. Go to the folder it is for, or name one with --workspace.`,
  )
}
