/**
 * A place, as the arguments of bubblewrap. Whatever is not named here does not exist inside.
 *
 * 1. No network, processes, users, or names of the machine; no capabilities, and none to be had.
 * 2. Everything can only be read, but for the workspace and three folders that live in memory.
 * 3. The environment is what is given here, and nothing else.
 */

import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join, normalize, relative } from 'node:path'
import { defined, LoopError } from '../loop/index.ts'
import type { GitMounts } from './git-mounts.ts'
import type { SandboxLimits, SandboxPlace } from './sandbox-type.ts'
import type { ShownPaths } from './shown-paths.ts'
import { isWithin, type Toolchains } from './toolchains.ts'

export const innerHome = '/home/agent'
/** What is ours inside. */
export const innerFolder = '/run/loopwright'
export const relayProgram: string = join(innerFolder, 'relay.mjs')
/** From here on, one for each file that is hidden. */
export const hiddenDescriptor = 7
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
  readonly shown: ShownPaths
}

export function bubblewrapArgs(place: PreparedPlace, command: InnerCommand): readonly string[] {
  const { real, toolchains } = place
  const inside = innerPath(place)
  const args = [
    // First: a home may lie in the temporary folder.
    ...kernelFolders(place.allLimits.tmpBytes),
    ...toolchains.mounts.flatMap((path) => ['--ro-bind', path, path]),
    ...toolchains.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...filesOf(place),
    ...place.shown.hidden.flatMap(({ path, isFolder }) =>
      isFolder ? emptyFolder(inside(path)) : [],
    ),
    ...hiddenFiles(place).flatMap((path, index) =>
      emptyFile(inside(path), hiddenDescriptor + index),
    ),
    ...relayFiles(place, command.relay),
    ...(place.files ?? []).flatMap(({ from, to }) => ['--ro-bind', from, checkedInner(to)]),
    '--remount-ro',
    '/',
    ...environmentOf(place, command).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    inside(command.cwd ?? real),
  ]
  // They are told apart by it: what has one in it would be more than one.
  const wrong = args.find((arg) => arg.includes('\0'))
  if (wrong === undefined) return args
  throw new LoopError(
    'bad-request',
    `A path or variable for the sandbox has a NUL in it: ${JSON.stringify(wrong.slice(0, 80))}. Take it out.`,
  )
}

/** Elsewhere a file could cover one of the system, or lie in a folder that cannot hold it. */
function checkedInner(path: string): string {
  if (path === normalize(path) && path.startsWith(`${innerFolder}/`)) return path
  throw new LoopError('bad-request', `${path} is not a path below ${innerFolder}.`)
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
  if (tooMuch.some((path) => isWithin(path, real)) || hasNoFiles(real) || real === '/tmp') {
    throw new LoopError(
      'bad-request',
      `${workspace} cannot be a workspace: it holds more than the work. Use a folder of its own.`,
    )
  }
  return real
}

/** But those of the kernel. */
const hasNoFiles = (real: string): boolean =>
  ['/proc', '/sys'].some((folder) => isWithin(real, folder))

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
    // Through its memory the first process could be told to live on without us.
    ...emptyFolder('/proc/1'),
    // For root the settings of the kernel are files of its own, capabilities or not.
    '--remount-ro',
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

/** Where what is in the workspace is inside. */
function innerPath({ workspace, real, shownAs }: PreparedPlace): (path: string) => string {
  if (shownAs === undefined) return (path) => path
  const root = [real, workspace]
  return (path) => {
    const folder = root.find((one) => isWithin(path, one))
    return folder === undefined ? path : join(shownAs, relative(folder, path))
  }
}

function filesOf(place: PreparedPlace): readonly string[] {
  const { workspace, real, git, shown, shownAs } = place
  const inside = innerPath(place)
  const readable = (path: string): readonly string[] => ['--ro-bind', path, inside(path)]
  const writable = (path: string): readonly string[] => ['--bind', path, inside(path)]
  const isLink = workspace !== real && shownAs === undefined
  return [
    ...shown.outside.flatMap(readable),
    ...writable(real),
    ...(isLink ? ['--symlink', real, workspace] : []),
    ...shown.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    // What is mounted cannot be moved.
    ...shown.pinned.flatMap(writable),
    ...shown.inside.flatMap(readable),
    ...git.readOnly.flatMap(readable),
    ...mountsOf(place),
  ]
}

/** Over folders of the workspace, which must be there. */
function mountsOf(place: PreparedPlace): readonly string[] {
  const { mounts = [], scratch = [], overlay, allLimits } = place
  const inside = innerPath(place)
  const lower = overlay?.lower ?? []
  const how = (path: string): string =>
    lower.some((folder) => isWithin(path, folder)) ? '--bind' : '--ro-bind'
  return [
    ...lower.flatMap((path) => ['--bind', path, path]),
    ...mounts.flatMap(({ from, to }) => [how(from), from, inside(to)]),
    ...scratch.flatMap((path) => ['--size', `${allLimits.tmpBytes}`, '--tmpfs', inside(path)]),
  ]
}

/** Each is made from what a descriptor of its own gives: nothing. */
export function hiddenFiles({ git, shown: { hidden } }: PreparedPlace): readonly string[] {
  const ofGit = git.hide.filter((file) => !hidden.some(({ path }) => isWithin(file, path)))
  return [...ofGit, ...hidden.flatMap(({ path, isFolder }) => (isFolder ? [] : [path]))]
}

/** Not a device that swallows everything: who writes to it is to know. */
const emptyFile = (path: string, descriptor: number): readonly string[] => [
  '--perms',
  '0444',
  '--ro-bind-data',
  `${descriptor}`,
  path,
]

const emptyFolder = (path: string): readonly string[] => [
  '--size',
  '4096',
  '--tmpfs',
  path,
  '--remount-ro',
  path,
]

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
    PATH: [
      ...(place.programs ?? []).map(innerPath(place)),
      place.toolchains.env['PATH'],
      ...place.shown.programFolders,
    ].join(delimiter),
    ...defined({ HTTPS_PROXY: proxy, https_proxy: proxy }),
    ...place.env,
    ...command.env,
  })
}
