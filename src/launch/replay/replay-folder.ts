/** Where a replay works, and what is there besides the files of its tree. */

import { existsSync, readdirSync, realpathSync, rmdirSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import type { RunRow } from '../../engine/index.ts'
import type { Recording } from '../../history/recording.ts'
import { LoopError, type RunId } from '../../loop/index.ts'
import { logDirDefault } from '../../runs/artifact-mode.ts'
import { carryOver } from '../../runs/carry-over.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunParts } from '../../runs/options.ts'
import { inFolder, placeReplica } from '../../runs/place-run.ts'
import { type RunPlace } from '../../runs/run-place.ts'
import { makeFolder, pathInside, requireEmpty, resolveWorkspace } from '../../system/index.ts'
import { replaysFolder } from '../../system/state-folders.ts'
import type { ReplayOptions } from './replay.ts'

export const isReplayFolder = (record: string, workspace: string): boolean =>
  !['.', undefined].includes(pathInside(replaysFolder(record), workspace))

/** Where the original had a worktree, the replay has one: only so are its trees the same. */
export async function placeReplay(
  base: HostPorts,
  original: Recording,
  given: ReplayOptions,
): Promise<RunPlace> {
  const { run, created } = original
  // Another name and id are chosen when it starts.
  const named = { id: `replay-${uuidv7()}` as RunId, name: run.name }
  if (created.worktree === undefined) return inFolder(named, folderFor(base, original, given))
  const path = given.workspace ?? join(replaysFolder(base.folder), uuidv7())
  const wanted = resolveWorkspace(path, base.folder) ?? path
  requireEmpty(wanted, false)
  if (existsSync(wanted)) rmdirSync(wanted)
  makeFolder(dirname(wanted))
  return placeReplica(base, named, created.worktree, wanted)
}

function folderFor(
  { folder }: HostPorts,
  { run }: Recording,
  { workspace }: ReplayOptions,
): string | undefined {
  if (run.workspace === undefined) return undefined
  const path = workspace ?? join(replaysFolder(folder), uuidv7())
  makeFolder(path)
  return resolveWorkspace(path, folder)
}

/** What is no part of the tree may be there already: a checkout needs its dependencies. */
export function requireNothingElse(
  { workspace, worktree, logDir }: RunPlace,
  exclude: readonly string[],
  resumed: RunRow | undefined,
): void {
  // A worktree was made for it, where there was nothing.
  if (worktree !== undefined || resumed !== undefined) return
  if (workspace === undefined || !existsSync(workspace)) return
  const other = findOther(
    workspace,
    new Set(['.git', ...exclude, logDir ?? logDirDefault].map(plainPath)),
  )
  if (other === undefined) return
  throw new LoopError(
    'bad-request',
    `The folder ${workspace} has files (${other}) that would be replaced. Pass an empty folder.`,
  )
}

const plainPath = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')

/** The first path that is neither excluded nor a folder with nothing but excluded paths in it. */
function findOther(folder: string, excluded: ReadonlySet<string>, prefix = ''): string | undefined {
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`
    if (excluded.has(path)) continue
    const holdsExcluded = [...excluded].some((one) => one.startsWith(`${path}/`))
    if (!entry.isDirectory() || !holdsExcluded) return path
    const inner = findOther(folder, excluded, `${path}/`)
    if (inner !== undefined) return inner
  }
  return undefined
}

export async function bringFiles(
  files: readonly string[],
  from: string | undefined,
  to: string | undefined,
): Promise<readonly string[]> {
  if (from === undefined || to === undefined) return []
  const brought: string[] = []
  for (const file of files) {
    const inner = existsSync(file) ? pathInside(from, realpathSync(file)) : undefined
    if (inner === undefined || inner === '.') continue
    const path = join(to, inner)
    makeFolder(dirname(path))
    if (!existsSync(path)) await copyFile(file, path)
    brought.push(path)
  }
  return brought
}

/** A replay is to see what the original saw; git answers questions of agents and checks. */
export const carryApart = (
  base: HostPorts,
  { run }: Recording,
  to: string | undefined,
  { exclude = [], signal }: RunParts,
): Promise<readonly string[]> =>
  carryOver(base, { from: run.workspace, to, names: ['.git', ...exclude], signal })
