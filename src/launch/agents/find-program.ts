/**
 * Where an agent program is on this machine: on the PATH, or among those that were fetched. Nothing of it is
 * run to find out. What lies where agents work is none: whoever works there could have put it there.
 *
 * Some packages hold a mere placeholder until a script of theirs has put a binary over it. That script is not
 * run: the binary is taken from the package for this platform, where the script would have taken it from.
 */

import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { defined, LoopError } from '../../loop/index.ts'
import { isProgram } from '../../sandbox/index.ts'
import type { Environment } from '../../system/environment.ts'
import { pathInside } from '../../system/index.ts'
import { packageVersion } from './package-version.ts'

/** What has to be known of a program to find it. */
export interface Wanted {
  /** Of the program itself. */
  readonly name: string
  readonly package: { readonly name: string; readonly version: string }
  /** Under which name it was fetched; its own unless told. */
  readonly fetchedAs?: string
}

export interface FoundProgram {
  /** Where it was found. */
  readonly path: string
  readonly from: 'path' | 'fetched'
  /** What is to be started. */
  readonly command: readonly string[]
  /** As its package says; undefined where it has none, and only running it tells. */
  readonly version?: string
}

export interface WhereToLook {
  /** The folder of the record, below which programs are fetched. */
  readonly folder: string
  readonly environment: Environment
  /** Folders that agents work in, and those they stand for. */
  readonly apart?: readonly (string | undefined)[]
  /** It will be run without walls: then what npm links for the project is none either. */
  readonly isBare?: boolean
}

export const fetchedFolder = (folder: string, name: string): string => join(folder, 'agents', name)

export function findAgentProgram(wanted: Wanted, at: WhereToLook): FoundProgram | undefined {
  const fetched = join(fetchedFolder(at.folder, wanted.fetchedAs ?? wanted.name), 'node_modules')
  const onPath = (at.environment['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, wanted.name))
    .find((path) => isProgram(path) && !isOfProject(path, at))
  const found =
    onPath === undefined
      ? { path: join(fetched, '.bin', wanted.name), from: 'fetched' as const }
      : { path: onPath, from: 'path' as const }
  if (!isProgram(found.path)) return undefined
  const real = realpathSync(found.path)
  const program = isPlaceholder(real) ? platformProgram(real, wanted) : found.path
  if (program === undefined) return undefined
  const version = packageVersion(real, wanted.package.name)
  return { ...found, command: [program], ...defined({ version }) }
}

/** By its own path, or by that of what it links to. */
function isOfProject(path: string, { apart = [], isBare = false }: WhereToLook): boolean {
  const projects = apart.filter((folder) => folder !== undefined)
  return [path, realpathSync(path)].some((one) => {
    const [owner, inside] = one.split('/node_modules/.bin/')
    // `npx` puts those of all folders above on the PATH too.
    const isLinked =
      isBare &&
      inside !== undefined &&
      [process.cwd(), ...projects].some((folder) => pathInside(owner || '/', folder) !== undefined)
    return isLinked || projects.some((folder) => pathInside(folder, one) !== undefined)
  })
}

/** Rejects with what to do about it. */
export function requireAgentProgram(wanted: Wanted, at: WhereToLook): FoundProgram {
  const found = findAgentProgram(wanted, at)
  if (found !== undefined) return found
  throw new LoopError('not-configured', howToGet(wanted))
}

export function howToGet({
  name,
  fetchedAs = name,
  package: { name: from, version },
}: Wanted): string {
  return (
    `There is no program ${name} on the PATH (one in the project does not count). Install ${from}, or have it fetched with: ` +
    `loopctl agents add ${fetchedAs} (version ${version})`
  )
}

const elf = [0x7f, 0x45, 0x4c, 0x46]
/** Any real binary is far larger, and a script says who runs it. */
const placeholderBytesMax = 64 * 1024

/** A program of a package that is neither a script nor a binary. */
function isPlaceholder(real: string): boolean {
  if (!real.includes('/node_modules/') || statSync(real).size > placeholderBytesMax) return false
  const head = Buffer.alloc(4)
  const file = openSync(real, 'r')
  try {
    readSync(file, head, 0, 4, 0)
  } finally {
    closeSync(file)
  }
  const isScript = head[0] === 0x23 && head[1] === 0x21
  return !isScript && !elf.every((byte, index) => head[index] === byte)
}

/** In the order in which they are to be tried. */
function platformProgram(real: string, { name, package: its }: Wanted): string | undefined {
  const modules = real.slice(0, real.lastIndexOf('/node_modules/') + '/node_modules'.length)
  const prefix = its.name.replace(/-ai$/, '')
  const { platform, arch } = process
  const endings = [
    `${platform}-${arch}`,
    `${platform}-${arch}-musl`,
    `${platform}-${arch}-baseline`,
  ]
  return endings
    .filter((ending) => ending.endsWith('-musl') === isMusl())
    .flatMap((ending) => [
      join(modules, `${prefix}-${ending}`, name),
      join(modules, `${prefix}-${ending}`, 'bin', name),
    ])
    .find((path) => existsSync(dirname(path)) && isProgram(path))
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  const report = process.report.getReport() as { readonly header?: Record<string, unknown> }
  return report.header?.['glibcVersionRuntime'] === undefined
}
