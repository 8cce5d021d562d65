/** Where the run folder is. Stored as a fact of the run when it is first decided. */

import { lstatSync, readdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Store } from '../engine/index.ts'
import { LoopError, type RunId } from '../loop/index.ts'
import { requireReadable } from '../system/index.ts'
import { type ArtifactMode, artifactModes, logDirDefault } from './artifact-mode.ts'

export interface RunFolderSettings {
  readonly mode: ArtifactMode
  readonly logDir: string
  /** The folder that the user named; absent: none. */
  readonly workspace?: string
  /** Used instead of the state folder. */
  readonly globalLogDir?: string
  readonly summary?: boolean
  readonly postmortem?: boolean
}

export const runFolderFact = 'run-folder'

export async function readRunFolderSettings(
  journal: Pick<Store, 'facts'>,
  run: RunId,
): Promise<RunFolderSettings | undefined> {
  const value = (await journal.facts(run)).get(runFolderFact)?.value as
    | Partial<RunFolderSettings>
    | undefined
  if (value?.mode === undefined || !artifactModes.includes(value.mode)) return undefined
  return { ...value, mode: value.mode, logDir: requireLogDir(value.logDir) }
}

export const logDirOf = async (journal: Pick<Store, 'facts'>, run: RunId): Promise<string> =>
  (await readRunFolderSettings(journal, run))?.logDir ?? logDirDefault

/** Requires a relative path inside the folder that the user named. Default: `logs/loop`. */
export function requireLogDir(logDir: string = logDirDefault): string {
  const parts = logDir
    .replace(/^(\.\/)+/, '')
    .replace(/\/+$/, '')
    .split('/')
  const isPlain = parts.every((part) => part !== '' && !/^(\.{1,2}|\.git)$/i.test(part))
  if (isPlain && !isAbsolute(logDir) && !logDir.includes('\0')) return parts.join('/')
  const message = `Run folders cannot be written to ${JSON.stringify(logDir.slice(0, 200))}.`
  const advice = `Use a relative path in the workspace, like "${logDirDefault}".`
  throw new LoopError('bad-request', `${message} ${advice}`)
}

/**
 * Requires that the folder is missing or contains only run folders. It is excluded from git and from the workspace of
 * runs, so any other file in it would be ignored without notice.
 */
export function requireOnlyRuns(folder: string, logDir: string): void {
  const parts = logDir.split('/')
  let path = folder
  for (const [index, part] of parts.entries()) {
    path = join(path, part)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    const isLast = index === parts.length - 1
    // Below a link or a file, nothing is excluded.
    if (stat === undefined || !(isLast || stat.isDirectory())) return
    if (isLast && !stat.isDirectory()) throw notOnlyRuns(path, 'It is not a folder.')
  }
  requireReadable(path)
  const other = readdirSync(path, { withFileTypes: true }).find(
    (entry) => !entry.isDirectory() || !runFolderName.test(entry.name),
  )
  if (other === undefined) return
  throw notOnlyRuns(path, `It contains ${JSON.stringify(other.name.slice(0, 200))}.`)
}

const runFolderName = /^run-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function notOnlyRuns(path: string, why: string): LoopError {
  const message = `Run folders cannot be written to ${path}, because other files there would be ignored. ${why}`
  const advice = `Move it, or set another folder (artifacts.logDir; default: "${logDirDefault}").`
  return new LoopError('bad-request', `${message} ${advice}`)
}

export function requireAbsolute(folder: string): string {
  if (isAbsolute(folder) && !folder.includes('\0')) return folder
  const message = `${JSON.stringify(folder.slice(0, 200))} is not an absolute path. Use one that starts with /.`
  throw new LoopError('bad-request', message)
}
