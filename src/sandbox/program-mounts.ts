/**
 * What has to be shown so that a program can be started inside: an agent in `~/.local/bin`, in a
 * `node_modules`, in an environment of Python. What is not shown already, and no folder that holds more
 * than programs: never the home, nor what merely lies beside the program.
 *
 * The workspace is written by those who are to be held, and all of it is shown anyway: a link in it is
 * never followed, neither to the program nor to a file that the command names.
 */

import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { findToolchains, isWithin, withoutNested } from './toolchains.ts'
import { wayTo } from './way-to.ts'

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
  const found = findIn(program, place)
  return found === undefined ? [] : mountsOf(found, place)
}

/** Also files that the command names, such as the script of an interpreter. */
export function commandMounts(command: readonly string[], place: ProgramPlace): readonly string[] {
  const [program = '', ...args] = command
  const named = args.flatMap((arg) => (arg.includes('/') ? (fileAt(arg, place) ?? []) : []))
  return [
    ...new Set([
      ...programMounts(program, place),
      ...named.flatMap((found) => mountsOf(found, place)),
    ]),
  ]
}

interface FoundFile {
  readonly path: string
  readonly real: string
}

function mountsOf({ path: found, real }: FoundFile, place: ProgramPlace): readonly string[] {
  const { cwd, home = homedir(), node = process.execPath, path } = place
  const root = rootOf(place)
  const shown = [...findToolchains({ home, path, node }).mounts, cwd, root]
  const isShown = (one: string): boolean =>
    [one, inRealFolder(one)].some((spelling) => shown.some((folder) => isWithin(spelling, folder)))
  // What lies in the workspace has no parts outside of it.
  const parts = isWithin(real, root)
    ? []
    : partsOf(real).map((part) => (isWithin(home, part) ? real : part))
  // The program itself even where it is in one of its parts: its folder is where it is looked for.
  return [...new Set([found, ...withoutNested(parts)])].filter((one) => !isShown(one))
}

/** As a shell finds it, but never by an entry that depends on where somebody stands. */
function findIn(program: string, place: ProgramPlace): FoundFile | undefined {
  const candidates = program.includes('/')
    ? [program]
    : place.path
        .split(delimiter)
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, program))
  for (const candidate of candidates) {
    const found = fileAt(candidate, place)
    if (found !== undefined && isProgram(found.real)) return found
  }
  return undefined
}

/** Nothing for what a link in the workspace leads to: whoever works there could have made it. */
function fileAt(path: string, place: ProgramPlace): FoundFile | undefined {
  const full = resolve(place.cwd, path)
  const way = wayTo(full, rootOf(place))
  if (way === undefined || way.isLed || !way.stat.isFile()) return undefined
  return { path: full, real: way.real }
}

function rootOf({ cwd }: ProgramPlace): string {
  return existsSync(cwd) ? realpathSync(cwd) : cwd
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
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
