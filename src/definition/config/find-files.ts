/**
 * Finds the config files: that of the project, in the nearest parent folder that has one, and that of the user.
 *
 * 1. The search ends at the home folder, or at the root if the current folder is not below it.
 * 2. Files of other users are not read, nor files in the worktree of a run.
 */

import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { readSmallFileSync } from '../../system/index.ts'
import { withHome } from './config-entry.ts'

export interface ConfigFile {
  readonly path: string
  readonly format: 'yaml' | 'loop-config'
  readonly of: 'project' | 'user'
}

export interface FoundFiles {
  /** Highest precedence first. */
  readonly files: readonly ConfigFile[]
  readonly notes: readonly string[]
}

export type Environment = Readonly<Record<string, string | undefined>>

export const configName = 'loopwright.yaml'
export const loopConfigName: string = join('.loop', 'config')

export interface FindOptions {
  /** Absent: ignore the files of the project. */
  readonly cwd?: string | undefined
  /** The file of `--config`; overrides discovered ones. */
  readonly file?: string | undefined
  readonly environment: Environment
}

export function findConfigFiles({ cwd, file, environment }: FindOptions): FoundFiles {
  const home = homeOf(environment)
  const notes: string[] = []
  const user = { path: userConfigPath(environment), format: 'yaml', of: 'user' } as const
  const named = file ?? environment['LOOP_CONFIG']
  const files: ConfigFile[] = []
  if (named !== undefined && named !== '') {
    const path = resolve(cwd ?? '.', withHome(named, home))
    requireFile(path, file === undefined ? 'LOOP_CONFIG' : '--config')
    files.push({ path, format: formatOf(path), of: path === user.path ? 'user' : 'project' })
  }
  for (const name of cwd === undefined ? [] : [configName, loopConfigName]) {
    const path = nearest(resolve(cwd ?? '.'), name, home)
    if (path === undefined || path === user.path || files.some((one) => one.path === path)) continue
    const why = whyNotRead(path)
    if (why === undefined) files.push({ path, format: formatOf(path), of: 'project' })
    else notes.push(`${path} is not read: ${why}.`)
  }
  if (isThere(user.path) && !files.some((one) => one.path === user.path)) files.push(user)
  return { files, notes }
}

export const formatOf = (path: string): ConfigFile['format'] =>
  /\.ya?ml$/.test(path) ? 'yaml' : 'loop-config'

export function userConfigPath(environment: Environment): string {
  const given = environment['XDG_CONFIG_HOME'] ?? ''
  const base = given.startsWith('/') ? given : join(homeOf(environment), '.config')
  return join(base, 'loopwright', configName)
}

export const homeOf = (environment: Environment): string => environment['HOME'] || homedir()

function nearest(folder: string, name: string, home: string): string | undefined {
  const path = join(folder, name)
  if (isThere(path)) return path
  const above = dirname(folder)
  return above === folder || folder === home ? undefined : nearest(above, name, home)
}

const isThere = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true

function requireFile(path: string, by: string): void {
  if (isThere(path)) return
  const message = `${by} names ${path}, which does not exist. Pass another file, or none.`
  throw new LoopError('unknown-file', message)
}

function whyNotRead(path: string): string | undefined {
  const { uid } = statSync(path)
  const mine = process.getuid?.() ?? uid
  if (uid !== mine && uid !== 0) return 'it belongs to another user'
  const worktree = worktreeOfRun(dirname(realpathSync(path)))
  return worktree === undefined ? undefined : `it is in ${worktree}, where an agent works`
}

const recordBytesMax = 2_000_000

/** The worktree of a run that contains the folder. Its record is outside the worktree, where agents cannot write. */
export function worktreeOfRun(folder: string): string | undefined {
  const git = lstatSync(join(folder, '.git'), { throwIfNoEntry: false })
  if (git?.isFile() === true) return isOfRun(folder) ? folder : undefined
  const above = dirname(folder)
  return git !== undefined || above === folder ? undefined : worktreeOfRun(above)
}

function isOfRun(worktree: string): boolean {
  try {
    const link = readSmallFileSync(join(worktree, '.git'), 10_000)
    const [, common] = /^gitdir: (.+)\/worktrees\/[^/\n]+\n?$/.exec(link) ?? []
    if (common === undefined) return false
    const records = join(resolve(worktree, common), 'loopwright', 'worktrees')
    return readdirSync(records).some((name) => {
      const record: unknown = JSON.parse(readSmallFileSync(join(records, name), recordBytesMax))
      return Object(record).path === worktree
    })
  } catch {
    return false
  }
}
