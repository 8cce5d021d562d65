/**
 * The paths that must be mounted so that a program can start inside the sandbox: an agent in `~/.local/bin`, in
 * a `node_modules`, in a Python environment. Only paths that are not mounted already, and no folder that
 * contains more than programs: never the home directory, nor unrelated files beside the program.
 *
 * Processes in the sandbox can write the workspace, which is mounted anyway: a symlink in it is never followed,
 * neither to the program nor to a file in the arguments.
 */

import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { resolvePath } from './resolve-path.ts'
import { findToolchains, isWithin, withoutNested } from './toolchains.ts'

export interface ProgramSearch {
  /** The workspace: relative paths start here, and it is mounted anyway. */
  readonly cwd: string
  /** The PATH in which program names are looked up. */
  readonly path: string
  readonly home?: string
  readonly node?: string
}

/** For `SandboxPlace.readOnly`; a program passed by name is then found inside too. Empty if there is none. */
export function findProgramMounts(program: string, search: ProgramSearch): readonly string[] {
  const found = findOnPath(program, search)
  return found === undefined ? [] : listMounts(found, search)
}

/** Includes files in the arguments, such as the script of an interpreter. */
export function findCommandMounts(
  command: readonly string[],
  search: ProgramSearch,
): readonly string[] {
  const [program = '', ...args] = command
  const named = args.flatMap((arg) => (arg.includes('/') ? (findFile(arg, search) ?? []) : []))
  return [
    ...new Set([
      ...findProgramMounts(program, search),
      ...named.flatMap((found) => listMounts(found, search)),
    ]),
  ]
}

interface FoundFile {
  readonly path: string
  readonly real: string
}

function listMounts({ path: found, real }: FoundFile, search: ProgramSearch): readonly string[] {
  const { cwd, home = homedir(), node = process.execPath, path } = search
  const root = realWorkspace(search)
  const shown = [...findToolchains({ home, path, node }).mounts, cwd, root]
  const isShown = (one: string): boolean =>
    [one, withRealParent(one)].some((spelling) =>
      shown.some((folder) => isWithin(spelling, folder)),
    )
  // A program in the workspace has no parts outside of it.
  const parts = isWithin(real, root)
    ? []
    : findParts(real).map((part) => (isWithin(home, part) ? real : part))
  // The program itself even if it is inside one of its parts, because its folder goes on the PATH.
  return [...new Set([found, ...withoutNested(parts)])].filter((one) => !isShown(one))
}

/** Like a shell, but ignores relative PATH entries. */
function findOnPath(program: string, search: ProgramSearch): FoundFile | undefined {
  const candidates = program.includes('/')
    ? [program]
    : search.path
        .split(delimiter)
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, program))
  for (const candidate of candidates) {
    const found = findFile(candidate, search)
    if (found !== undefined && isExecutableFile(found.real)) return found
  }
  return undefined
}

/** Undefined for the target of a symlink in the workspace: the agent could have created it. */
function findFile(path: string, search: ProgramSearch): FoundFile | undefined {
  const full = resolve(search.cwd, path)
  const resolved = resolvePath(full, realWorkspace(search))
  if (resolved === undefined || resolved.followedLinkInFolder) return undefined
  return resolved.stat.isFile() ? { path: full, real: resolved.real } : undefined
}

function realWorkspace({ cwd }: ProgramSearch): string {
  return existsSync(cwd) ? realpathSync(cwd) : cwd
}

export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Resolves only the parent, so that a symlink stays one. */
const withRealParent = (path: string): string => join(realpathSync(dirname(path)), basename(path))

/** Files that mark a folder as a self-contained installation. */
const installationFiles = ['pyvenv.cfg', 'conda-meta']

/** The files and folders that a program consists of, judged by its location. */
function findParts(real: string): readonly string[] {
  const modules = /^.*?\/node_modules(?=\/)/.exec(real)?.[0]
  // The whole folder, because the dependencies of a package may be beside it.
  if (modules !== undefined) return [modules]
  const installed = dirname(dirname(real))
  if (installationFiles.some((file) => existsSync(join(installed, file)))) return [installed]
  const beside = join(dirname(real), 'node_modules')
  return existsSync(beside) ? [real, beside] : [real]
}
