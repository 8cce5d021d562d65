/**
 * Finds an agent program on this machine, on the PATH or among the fetched ones, without running it. Programs
 * in folders where agents work are ignored: an agent could have created them.
 *
 * Some packages contain a placeholder that an install script replaces by a binary. That script is not run:
 * the binary is used directly from the package for this platform.
 */

import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { defined, LoopError } from '../../loop/index.ts'
import { isExecutableFile } from '../../sandbox/index.ts'
import type { Environment } from '../../system/environment.ts'
import { pathInside } from '../../system/index.ts'
import { packageVersion } from './package-version.ts'

/** What is needed to find a program. */
export interface ProgramToFind {
  /** The name of the executable. */
  readonly name: string
  readonly package: { readonly name: string; readonly version: string }
  /** The name under which it is fetched; default: `name`. */
  readonly fetchedAs?: string
}

export interface FoundProgram {
  /** The path where it was found. */
  readonly path: string
  readonly from: 'path' | 'fetched'
  /** The command to start. */
  readonly command: readonly string[]
  /** From its package; undefined: it has none, so only running it reveals the version. */
  readonly version?: string
}

export interface ProgramSearch {
  /** The state folder, in which fetched programs are. */
  readonly folder: string
  readonly environment: Environment
  /** Workspaces of agents, and the user's checkouts of them. */
  readonly projectFolders?: readonly (string | undefined)[]
  /** It will run without a sandbox: then programs that npm links for the project are ignored as well. */
  readonly isUnsandboxed?: boolean
}

export const fetchedFolder = (folder: string, name: string): string => join(folder, 'agents', name)

export function findAgentProgram(
  wanted: ProgramToFind,
  at: ProgramSearch,
): FoundProgram | undefined {
  const fetched = join(fetchedFolder(at.folder, wanted.fetchedAs ?? wanted.name), 'node_modules')
  const onPath = (at.environment['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, wanted.name))
    .find((path) => isExecutableFile(path) && !belongsToProject(path, at))
  const found =
    onPath === undefined
      ? { path: join(fetched, '.bin', wanted.name), from: 'fetched' as const }
      : { path: onPath, from: 'path' as const }
  if (!isExecutableFile(found.path)) return undefined
  const real = realpathSync(found.path)
  const program = isPlaceholder(real) ? platformProgram(real, wanted) : found.path
  if (program === undefined) return undefined
  const version = packageVersion(real, wanted.package.name)
  return { ...found, command: [program], ...defined({ version }) }
}

/** By its path, or by the path that it links to. */
function belongsToProject(
  path: string,
  { projectFolders = [], isUnsandboxed = false }: ProgramSearch,
): boolean {
  const projects = projectFolders.filter((folder) => folder !== undefined)
  return [path, realpathSync(path)].some((one) => {
    const [owner, inside] = one.split('/node_modules/.bin/')
    // `npx` adds those of all parent folders to the PATH.
    const isLinked =
      isUnsandboxed &&
      inside !== undefined &&
      [process.cwd(), ...projects].some((folder) => pathInside(owner || '/', folder) !== undefined)
    return isLinked || projects.some((folder) => pathInside(folder, one) !== undefined)
  })
}

/** Throws an error that says how to install it. */
export function requireAgentProgram(wanted: ProgramToFind, at: ProgramSearch): FoundProgram {
  const found = findAgentProgram(wanted, at)
  if (found !== undefined) return found
  throw new LoopError('not-configured', explainInstall(wanted))
}

export function explainInstall({
  name,
  fetchedAs = name,
  package: { name: from, version },
}: ProgramToFind): string {
  return (
    `${name} is not on the PATH (programs of the project are ignored). Install ${from}, or fetch version ${version} with: ` +
    `loopctl agents add ${fetchedAs}`
  )
}

const elf = [0x7f, 0x45, 0x4c, 0x46]
/** Real binaries are far larger, and scripts start with a shebang. */
const placeholderBytesMax = 64 * 1024

/** True for a program of a package that is neither a script nor a binary. */
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

/** Finds the binary in the package for this platform. */
function platformProgram(real: string, { name, package: its }: ProgramToFind): string | undefined {
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
    .find((path) => existsSync(dirname(path)) && isExecutableFile(path))
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  const report = process.report.getReport() as { readonly header?: Record<string, unknown> }
  return report.header?.['glibcVersionRuntime'] === undefined
}
