/** Where the files of a run were settled to be, as it is kept as a fact of the run. */

import { lstatSync, readdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Store } from '../engine/index.ts'
import { LoopError, type RunId } from '../loop/index.ts'
import { requireReadable } from '../system/index.ts'
import { type ArtifactMode, artifactModes, logDirDefault } from './artifact-mode.ts'

export interface Settled {
  readonly mode: ArtifactMode
  readonly logDir: string
  /** The folder that a person named; absent: there is none. */
  readonly workspace?: string
  /** In place of the state folder. */
  readonly globalLogDir?: string
  readonly summary?: boolean
  readonly postmortem?: boolean
}

export const settledName = 'run-folder'

export async function settledBefore(
  journal: Pick<Store, 'facts'>,
  run: RunId,
): Promise<Settled | undefined> {
  const value = (await journal.facts(run)).get(settledName)?.value as Partial<Settled> | undefined
  if (value?.mode === undefined || !artifactModes.includes(value.mode)) return undefined
  return { ...value, mode: value.mode, logDir: requireLogDir(value.logDir) }
}

export const logDirOf = async (journal: Pick<Store, 'facts'>, run: RunId): Promise<string> =>
  (await settledBefore(journal, run))?.logDir ?? logDirDefault

/** A path in the folder that the user named. Default: `logs/loop`. */
export function requireLogDir(logDir: string = logDirDefault): string {
  const parts = logDir
    .replace(/^(\.\/)+/, '')
    .replace(/\/+$/, '')
    .split('/')
  const isPlain = parts.every((part) => part !== '' && !/^(\.{1,2}|\.git)$/i.test(part))
  if (isPlain && !isAbsolute(logDir) && !logDir.includes('\0')) return parts.join('/')
  const message = `Files of runs cannot be kept in ${JSON.stringify(logDir.slice(0, 200))}.`
  const advice = `Give a path in the workspace, like "${logDirDefault}".`
  throw new LoopError('bad-request', `${message} ${advice}`)
}

/**
 * Nothing but folders of runs is there, or nothing at all: git is told to pass over it, and a run that
 * works in the folder sees nothing of it, so that whatever else is there would be seen by nobody.
 */
export function requireOnlyRuns(folder: string, logDir: string): void {
  const parts = logDir.split('/')
  let path = folder
  for (const [index, part] of parts.entries()) {
    path = join(path, part)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    const isLast = index === parts.length - 1
    // Behind a link, or below a file, nothing is passed over.
    if (stat === undefined || !(isLast || stat.isDirectory())) return
    if (isLast && !stat.isDirectory()) throw notOnlyRuns(path, 'It is no folder.')
  }
  requireReadable(path)
  const other = readdirSync(path, { withFileTypes: true }).find(
    (entry) => !entry.isDirectory() || !runFolderName.test(entry.name),
  )
  if (other === undefined) return
  throw notOnlyRuns(path, `Something else is there: ${JSON.stringify(other.name.slice(0, 200))}.`)
}

const runFolderName = /^run-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function notOnlyRuns(path: string, why: string): LoopError {
  const message = `Files of runs cannot be kept in ${path}, where nothing else would be seen. ${why}`
  const advice = `Move it away, or give another folder (artifacts.logDir; default: "${logDirDefault}").`
  return new LoopError('bad-request', `${message} ${advice}`)
}

export function requireWhole(folder: string): string {
  if (isAbsolute(folder) && !folder.includes('\0')) return folder
  const message = `${JSON.stringify(folder.slice(0, 200))} is not an absolute path. Use one that starts with /.`
  throw new LoopError('bad-request', message)
}
