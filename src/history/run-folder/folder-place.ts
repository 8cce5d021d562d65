/**
 * Decides where the files of a run are: in the state folder, in the user's folder, or both. It is decided once
 * and stored as a fact of the run.
 *
 * The user's folder is never the worktree of a run. In it, the run folder is excluded from git before anything
 * is written; if that fails, nothing is written.
 */

import { existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type RunRow, readCreated } from '../../engine/index.ts'
import { defined, type RunCreated } from '../../loop/index.ts'
import { artifactModeDefault, logDirDefault } from '../../runs/artifact-mode.ts'
import {
  requireLogDir,
  requireWhole,
  type Settled,
  settledBefore,
  settledName,
} from '../../runs/log-dir.ts'
import { repositoryOf } from '../../runs/place-run.ts'
import { pathInside } from '../../system/index.ts'
import { excludePath, findRepository, findWorktree } from '../../workspace/index.ts'
import { type FolderHost, type RunFolderOptions } from './options.ts'

export interface FolderPlace {
  readonly place: 'workspace' | 'global'
  /** Symbolic links below it are not followed. */
  readonly root: string
  readonly parts: readonly string[]
}

export const pathOf = ({ root, parts }: FolderPlace): string => join(root, ...parts)

/** Uses the stored settings, changed by the options. */
export async function chooseFolderPlaces(
  host: FolderHost,
  run: RunRow,
  { mode, logDir, globalLogDir, summary, postmortem }: Omit<RunFolderOptions, 'onProblem'> = {},
): Promise<readonly FolderPlace[]> {
  const known = await settledBefore(host.journal, run.id)
  const settled: Settled = {
    ...(known ?? (await chooseNewSettings(host, run))),
    ...defined({ mode }),
    ...(logDir === undefined ? {} : { logDir: requireLogDir(logDir) }),
    ...(globalLogDir === undefined ? {} : { globalLogDir: requireWhole(globalLogDir) }),
    ...defined({ summary, postmortem }),
  }
  if (JSON.stringify(known) !== JSON.stringify(settled)) {
    await host.journal.setFact(run.id, settledName, { value: { ...settled }, atMs: Date.now() })
  }
  return listPlaces(host, run, settled)
}

/** For readers; a run without stored settings has its files in the state folder. */
export async function listFolderPlaces(
  host: FolderHost,
  run: RunRow,
): Promise<readonly FolderPlace[]> {
  const settled = await settledBefore(host.journal, run.id)
  return listPlaces(host, run, settled ?? { mode: 'global', logDir: logDirDefault })
}

async function chooseNewSettings({ journal }: FolderHost, run: RunRow): Promise<Settled> {
  const created = await readCreated(journal, run.id)
  const workspace = await findUserFolder(run, created)
  const { origin } = created
  // A fork uses the settings of its origin, which may have been removed.
  const inherited =
    origin?.type === 'fork'
      ? await settledBefore(journal, origin.run).catch(() => undefined)
      : undefined
  const { workspace: _its, ...settled } = inherited ?? {
    mode: artifactModeDefault,
    logDir: logDirDefault,
  }
  return { ...settled, ...defined({ workspace }) }
}

async function findUserFolder(
  { workspace }: RunRow,
  { worktree, origin }: RunCreated,
): Promise<string | undefined> {
  // The user did not choose the folder of a replay.
  if (origin?.type === 'replay') return undefined
  if (worktree === undefined) return workspace
  const repository = await repositoryOf(worktree).catch(() => undefined)
  if (repository === undefined) return undefined
  return (await findWorktree(repository, worktree.key))?.checkout ?? repository.checkout
}

function listPlaces(
  { folder }: FolderHost,
  { id }: RunRow,
  { mode, logDir, workspace, globalLogDir }: Settled,
): readonly FolderPlace[] {
  const own = `run-${id}`
  const global: FolderPlace = {
    place: 'global',
    root: globalLogDir ?? folder,
    parts: ['runs', own],
  }
  if (workspace === undefined) return [global]
  const parts = [...logDir.split('/'), own]
  const local: FolderPlace = { place: 'workspace', root: workspace, parts }
  return mode === 'global' ? [global] : mode === 'workspace' ? [local] : [global, local]
}

/** Throws if the folder cannot be excluded. */
export async function excludeFromGit(
  { journal }: FolderHost,
  { id }: RunRow,
  { root, parts }: FolderPlace,
): Promise<void> {
  const { withoutGit } = await readCreated(journal, id)
  // A repository that was created later may be the work of the agent, not a checkout of the user.
  if (!hasGit(withoutGit === true ? dirname(root) : root)) return
  const repository = await findRepository(root)
  if (repository.checkout === undefined) return
  const inner = pathInside(repository.checkout, join(root, ...parts.slice(0, -1)))
  if (inner !== undefined) await excludePath(repository, inner)
}

function hasGit(folder: string): boolean {
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return true
  const above = dirname(folder)
  return above !== folder && existsSync(above) && hasGit(above)
}
