/**
 * What has to be shown so that a program can be started inside: an agent in `~/.local/bin`, in a
 * `node_modules`, in an environment of Python. What is not shown already, and no folder that holds more
 * than programs: never the home, nor what merely lies beside the program.
 */

import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { findToolchains, isWithin, withoutNested } from './toolchains.ts'

export interface ProgramPlace {
  /** The workspace: relative paths begin here, and what is in it is shown anyway. */
  readonly cwd: string
  /** Where names are looked up, as a PATH. */
  readonly path: string
  readonly home?: string
  readonly node?: string
}

/** For `readOnly` of a place; also what is given by name is then found inside. Empty if there is none. */
export function programMounts(program: string, place: ProgramPlace): readonly string[] {
  const found = findIn(program, place.cwd, place.path)
  return found === undefined ? [] : mountsOf(found, place)
}

function mountsOf(found: string, place: ProgramPlace): readonly string[] {
  const { cwd, home = homedir(), node = process.execPath, path } = place
  const shown = [...findToolchains({ home, path, node }).mounts, cwd, realpathSync(cwd)]
  const isShown = (one: string): boolean =>
    [one, inRealFolder(one)].some((spelling) => shown.some((folder) => isWithin(spelling, folder)))
  const real = realpathSync(found)
  const parts = partsOf(real).map((part) => (isWithin(home, part) ? real : part))
  // The program itself even where it is in one of its parts: its folder is where it is looked for.
  return [...new Set([found, ...withoutNested(parts)])].filter((one) => !isShown(one))
}

/** Also files that the command names, such as the script of an interpreter. */
export function commandMounts(command: readonly string[], place: ProgramPlace): readonly string[] {
  const [program = '', ...args] = command
  const named = args.filter((arg) => arg.includes('/') && isFile(resolve(place.cwd, arg)))
  return [
    ...new Set([
      ...programMounts(program, place),
      ...named.flatMap((arg) => mountsOf(resolve(place.cwd, arg), place)),
    ]),
  ]
}

/** As a shell finds it, but never by an entry that depends on where somebody stands. */
function findIn(program: string, cwd: string, path: string): string | undefined {
  const candidates = program.includes('/')
    ? [resolve(cwd, program)]
    : path
        .split(delimiter)
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, program))
  return candidates.find(isProgram)
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return isFile(path)
  } catch {
    return false
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** A link stays one: only the way to it is followed. */
const inRealFolder = (path: string): string => join(realpathSync(dirname(path)), basename(path))

/** Files that show that a folder is an installation of its own. */
const installationFiles = ['pyvenv.cfg', 'conda-meta']

/** What a program is made of, by where it is. */
function partsOf(real: string): readonly string[] {
  const modules = /^.*?\/node_modules(?=\/)/.exec(real)?.[0]
  // All of it: what a package needs may lie beside it.
  if (modules !== undefined) return [modules]
  const installed = dirname(dirname(real))
  if (installationFiles.some((file) => existsSync(join(installed, file)))) return [installed]
  const beside = join(dirname(real), 'node_modules')
  return existsSync(beside) ? [real, beside] : [real]
}
