/**
 * Where the files of a run are: in the state folder, beside the work, or both. It is settled once, and kept
 * as a fact of the run.
 *
 * Beside the work means the folder that a person named, and never the worktree of a run. There, git is
 * told to pass over it before anything is written; where that cannot be, nothing is.
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
  /** Below it no link is followed. */
  readonly root: string
  readonly parts: readonly string[]
}

export const pathOf = ({ root, parts }: FolderPlace): string => join(root, ...parts)

/** As it was settled before, unless told otherwise now. */
export async function settlePlaces(
  host: FolderHost,
  run: RunRow,
  { mode, logDir, globalLogDir, summary, postmortem }: Omit<RunFolderOptions, 'onProblem'> = {},
): Promise<readonly FolderPlace[]> {
  const known = await settledBefore(host.journal, run.id)
  const settled: Settled = {
    ...(known ?? (await settleNew(host, run))),
    ...defined({ mode }),
    ...(logDir === undefined ? {} : { logDir: requireLogDir(logDir) }),
    ...(globalLogDir === undefined ? {} : { globalLogDir: requireWhole(globalLogDir) }),
    ...defined({ summary, postmortem }),
  }
  if (JSON.stringify(known) !== JSON.stringify(settled)) {
    await host.journal.setFact(run.id, settledName, { value: { ...settled }, atMs: Date.now() })
  }
  return placesFor(host, run, settled)
}

/** Where they are, for a reader; those of a run whose files nobody writes are looked for in the state. */
export async function knownPlaces(host: FolderHost, run: RunRow): Promise<readonly FolderPlace[]> {
  const settled = await settledBefore(host.journal, run.id)
  return placesFor(host, run, settled ?? { mode: 'global', logDir: logDirDefault })
}

async function settleNew({ journal }: FolderHost, run: RunRow): Promise<Settled> {
  const created = await readCreated(journal, run.id)
  const workspace = await namedFolder(run, created)
  const { origin } = created
  // A fork leaves what the run that it comes from does; that one may be gone.
  const like =
    origin?.type === 'fork'
      ? await settledBefore(journal, origin.run).catch(() => undefined)
      : undefined
  const { workspace: _its, ...settled } = like ?? {
    mode: artifactModeDefault,
    logDir: logDirDefault,
  }
  return { ...settled, ...defined({ workspace }) }
}

async function namedFolder(
  { workspace }: RunRow,
  { worktree, origin }: RunCreated,
): Promise<string | undefined> {
  // Nobody chose the folder of a replay.
  if (origin?.type === 'replay') return undefined
  if (worktree === undefined) return workspace
  const repository = await repositoryOf(worktree).catch(() => undefined)
  if (repository === undefined) return undefined
  return (await findWorktree(repository, worktree.key))?.checkout ?? repository.checkout
}

function placesFor(
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
  const beside: FolderPlace = { place: 'workspace', root: workspace, parts }
  return mode === 'global' ? [global] : mode === 'workspace' ? [beside] : [global, beside]
}

/** Throws where git cannot be told to pass over it. */
export async function keepOutOfGit(
  { journal }: FolderHost,
  { id }: RunRow,
  { root, parts }: FolderPlace,
): Promise<void> {
  const { withoutGit } = await readCreated(journal, id)
  // A repository that came since may be the work of its agent, and is nobody's checkout.
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
