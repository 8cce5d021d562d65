/**
 * A place, as the arguments of bubblewrap. Whatever is not named here does not exist inside.
 *
 * 1. No network, processes, users, or names of the machine; no capabilities, and none to be had.
 * 2. Everything can only be read, but for the workspace and three folders that live in memory.
 * 3. The environment is what is given here, and nothing else.
 */

import { lstatSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import type { GitMounts } from './git-mounts.ts'
import type { SandboxLimits, SandboxPlace } from './sandbox-type.ts'
import { isWithin, type Toolchains } from './toolchains.ts'

export const innerHome = '/home/agent'
/** What is ours inside. */
export const innerFolder = '/run/loopwright'
export const relayProgram: string = join(innerFolder, 'relay.mjs')
export const relaySocket = (index: number): string => join(innerFolder, `${index}.sock`)

/** Not a secret, so on the command line: they hold even if nothing else arrives. */
export const walls: readonly string[] = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--unshare-net',
  '--disable-userns',
  '--die-with-parent',
  '--new-session',
  '--hostname',
  'sandbox',
  '--cap-drop',
  'ALL',
  '--clearenv',
]

export interface InnerCommand {
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>> | undefined
  /** Our program that relays, where it is outside. */
  readonly relay: string
}

/** What is the same for all commands of a place, worked out once. */
export interface PreparedPlace extends SandboxPlace {
  /** Without links on the way. */
  readonly real: string
  readonly allLimits: SandboxLimits
  readonly toolchains: Toolchains
  readonly git: GitMounts
}

export function bubblewrapArgs(place: PreparedPlace, command: InnerCommand): readonly string[] {
  const { real, toolchains } = place
  return [
    ...toolchains.mounts.flatMap((path) => ['--ro-bind', path, path]),
    ...toolchains.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...kernelFolders(place.allLimits.tmpBytes),
    ...filesOf(place),
    ...[...place.git.hide, ...(place.hide ?? [])].flatMap((path) => hidden(path, real)),
    ...relayFiles(place, command.relay),
    '--remount-ro',
    '/',
    ...environmentOf(place, command).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    command.cwd ?? real,
  ]
}

/** Where nothing could be protected, because the workspace would be all. */
export function realWorkspace(workspace: string): string {
  const real = isAbsolute(workspace) ? resolveFolder(workspace) : undefined
  if (real === undefined) {
    throw new LoopError(
      'bad-request',
      `There is no folder ${workspace} to work in. Give the full path of one that exists.`,
    )
  }
  const tooMuch = ['/usr', '/etc', '/proc', '/dev', '/sys', '/run', homedir()]
  if (tooMuch.some((path) => isWithin(path, real)) || isWithin(real, '/proc') || real === '/tmp') {
    throw new LoopError(
      'bad-request',
      `${workspace} cannot be a workspace: it holds more than the work. Use a folder of its own.`,
    )
  }
  return real
}

function resolveFolder(path: string): string | undefined {
  try {
    const real = realpathSync(path)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}

function kernelFolders(tmpBytes: number): readonly string[] {
  const inMemory = (path: string): readonly string[] => ['--size', `${tmpBytes}`, '--tmpfs', path]
  return [
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...inMemory('/dev/shm'),
    '--remount-ro',
    '/dev',
    ...inMemory('/tmp'),
    ...inMemory(innerHome),
    '--symlink',
    '../tmp',
    '/var/tmp',
    '--dir',
    '/run',
  ]
}

function filesOf({ workspace, real, git, readOnly = [] }: PreparedPlace): readonly string[] {
  const inside = readOnly.filter((path) => isWithin(path, real))
  const outside = readOnly.filter((path) => !isWithin(path, real))
  const readable = (path: string): readonly string[] => ['--ro-bind', path, path]
  return [
    ...outside.flatMap(readable),
    '--bind',
    real,
    real,
    ...(workspace === real ? [] : ['--symlink', real, workspace]),
    ...inside.flatMap(readable),
    ...git.readOnly.flatMap(readable),
  ]
}

/** Only what is there can be covered. A link shows no more than what it leads to. */
function hidden(path: string, workspace: string): readonly string[] {
  const whole = isAbsolute(path) ? path : join(workspace, path)
  const stat = lstatSync(whole, { throwIfNoEntry: false })
  if (stat === undefined || stat.isSymbolicLink()) return []
  return stat.isDirectory()
    ? ['--size', '4096', '--tmpfs', whole, '--remount-ro', whole]
    : ['--ro-bind', '/dev/null', whole]
}

function relayFiles(place: SandboxPlace, relay: string): readonly string[] {
  const relays = relaysOf(place)
  if (relays.length === 0) return []
  return [
    '--ro-bind',
    relay,
    relayProgram,
    ...relays.flatMap(({ socket }, index) => ['--ro-bind', socket, relaySocket(index)]),
  ]
}

export const relaysOf = ({
  gateway,
  network,
}: SandboxPlace): readonly NonNullable<SandboxPlace['gateway']>[] =>
  [gateway, network].filter((one) => one !== undefined)

function environmentOf(place: PreparedPlace, command: InnerCommand): readonly [string, string][] {
  const proxy = place.network && `http://127.0.0.1:${place.network.port}`
  return Object.entries({
    HOME: innerHome,
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    // The index of the repository can be read but not refreshed.
    GIT_OPTIONAL_LOCKS: '0',
    ...place.toolchains.env,
    ...(proxy === undefined ? {} : { HTTPS_PROXY: proxy, https_proxy: proxy }),
    ...place.env,
    ...command.env,
  })
}
