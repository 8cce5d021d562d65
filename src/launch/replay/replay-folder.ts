/** Creates the workspace of a replay, and copies what is not part of its tree. */

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
import { makeFolder, pathInside, requireEmptyFolder, resolveWorkspace } from '../../system/index.ts'
import { replaysFolder } from '../../system/state-folders.ts'
import type { ReplayOptions } from './replay.ts'

export const isReplayFolder = (stateFolder: string, workspace: string): boolean =>
  !['.', undefined].includes(pathInside(replaysFolder(stateFolder), workspace))

/** If the original had a worktree, the replay gets one, because only then are its trees the same. */
export async function placeReplay(
  base: HostPorts,
  original: Recording,
  options: ReplayOptions,
): Promise<RunPlace> {
  const { run, created } = original
  // The final name and id are chosen when it starts.
  const named = { id: `replay-${uuidv7()}` as RunId, name: run.name }
  if (created.worktree === undefined)
    return inFolder(named, createReplayFolder(base, original, options))
  const path = options.workspace ?? join(replaysFolder(base.folder), uuidv7())
  const wanted = resolveWorkspace(path, base.folder) ?? path
  requireEmptyFolder(wanted, false)
  if (existsSync(wanted)) rmdirSync(wanted)
  makeFolder(dirname(wanted))
  return placeReplica(base, named, created.worktree, wanted)
}

function createReplayFolder(
  { folder }: HostPorts,
  { run }: Recording,
  { workspace }: ReplayOptions,
): string | undefined {
  if (run.workspace === undefined) return undefined
  const path = workspace ?? join(replaysFolder(folder), uuidv7())
  makeFolder(path)
  return resolveWorkspace(path, folder)
}

/** Paths that are not part of the tree may exist already: a checkout needs its dependencies. */
export function requireNoOtherFiles(
  { workspace, worktree, logDir }: RunPlace,
  exclude: readonly string[],
  resumed: RunRow | undefined,
): void {
  // Its worktree was created in an empty place.
  if (worktree !== undefined || resumed !== undefined) return
  if (workspace === undefined || !existsSync(workspace)) return
  const other = findOther(
    workspace,
    new Set(['.git', ...exclude, logDir ?? logDirDefault].map(normalizePath)),
  )
  if (other === undefined) return
  throw new LoopError(
    'bad-request',
    `The folder ${workspace} has files (${other}) that would be replaced. Pass an empty folder.`,
  )
}

const normalizePath = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')

/** Finds the first path that is neither excluded nor a folder with only excluded paths. */
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

export async function copyLoopFiles(
  files: readonly string[],
  from: string | undefined,
  to: string | undefined,
): Promise<readonly string[]> {
  if (from === undefined || to === undefined) return []
  const copied: string[] = []
  for (const file of files) {
    const inner = existsSync(file) ? pathInside(from, realpathSync(file)) : undefined
    if (inner === undefined || inner === '.') continue
    const path = join(to, inner)
    makeFolder(dirname(path))
    if (!existsSync(path)) await copyFile(file, path)
    copied.push(path)
  }
  return copied
}

/** A replay must see what the original saw, including `.git`, because agents and checks run git commands. */
export const carryExcluded = (
  base: HostPorts,
  { run }: Recording,
  to: string | undefined,
  { exclude = [], signal }: RunParts,
): Promise<readonly string[]> =>
  carryOver(base, { from: run.workspace, to, names: ['.git', ...exclude], signal })
