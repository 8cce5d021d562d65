/**
 * Builds the bubblewrap arguments for a sandbox. Paths that are not listed here do not exist inside.
 *
 * 1. The network, processes, users and host name of the machine are not visible; there are no capabilities
 *    and no way to gain any.
 * 2. Everything is read-only, except the workspace and three folders in memory.
 * 3. The environment consists of the variables set here only.
 */

import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join, normalize, relative } from 'node:path'
import { defined, LoopError } from '../loop/index.ts'
import type { GitMounts } from './git-mounts.ts'
import type { SandboxLimits, SandboxSpec } from './sandbox-type.ts'
import type { ShownPaths } from './shown-paths.ts'
import { isWithin, type Toolchains } from './toolchains.ts'

export const innerHome = '/home/agent'
/** The folder for Loopwright's own files inside the sandbox. */
export const innerFolder = '/run/loopwright'
export const relayProgram: string = join(innerFolder, 'relay.mjs')
/** The first of the descriptors for hidden files, one per file. */
export const hiddenDescriptor = 7
export const relaySocket = (index: number): string => join(innerFolder, `${index}.sock`)

/** Passed on the command line, not over the pipe, so that they apply even if the pipe delivers nothing. */
export const isolationArgs: readonly string[] = [
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
  /** The path of the relay program outside the sandbox. */
  readonly relay: string
}

/** What is the same for all commands of a sandbox, computed once. */
export interface PreparedSandbox extends SandboxSpec {
  /** The workspace with symlinks resolved. */
  readonly real: string
  readonly allLimits: SandboxLimits
  readonly toolchains: Toolchains
  readonly git: GitMounts
  readonly shown: ShownPaths
}

export function bubblewrapArgs(sandbox: PreparedSandbox, command: InnerCommand): readonly string[] {
  const { real, toolchains } = sandbox
  const inside = innerPath(sandbox)
  const args = [
    // First, because the home directory may be in the temporary folder.
    ...kernelFolders(sandbox.allLimits.tmpBytes),
    ...toolchains.mounts.flatMap((path) => ['--ro-bind', path, path]),
    ...toolchains.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...workspaceMounts(sandbox),
    ...sandbox.shown.hidden.flatMap(({ path, isFolder }) =>
      isFolder ? emptyFolder(inside(path)) : [],
    ),
    ...hiddenFiles(sandbox).flatMap((path, index) =>
      emptyFile(inside(path), hiddenDescriptor + index),
    ),
    ...relayFiles(sandbox, command.relay),
    ...(sandbox.files ?? []).flatMap(({ from, to }) => ['--ro-bind', from, requireInnerPath(to)]),
    '--remount-ro',
    '/',
    ...innerEnvironment(sandbox, command).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    inside(command.cwd ?? real),
  ]
  // NUL separates the arguments on the pipe, so an argument that contains one would become several.
  const invalid = args.find((arg) => arg.includes('\0'))
  if (invalid === undefined) return args
  throw new LoopError(
    'bad-request',
    `A path or variable for the sandbox contains a NUL: ${JSON.stringify(invalid.slice(0, 80))}. Remove it.`,
  )
}

/** Elsewhere the file could hide a system file, or its folder could be read-only. */
function requireInnerPath(path: string): string {
  if (path === normalize(path) && path.startsWith(`${innerFolder}/`)) return path
  throw new LoopError('bad-request', `${path} is not a path below ${innerFolder}.`)
}

/** Resolves the workspace, and rejects folders that contain more than a sandbox may write. */
export function resolveSandboxWorkspace(workspace: string): string {
  const real = isAbsolute(workspace) ? resolveFolder(workspace) : undefined
  if (real === undefined) {
    throw new LoopError(
      'bad-request',
      `The workspace ${workspace} is not an existing folder with an absolute path. Use one that is.`,
    )
  }
  const tooMuch = ['/usr', '/etc', '/proc', '/dev', '/sys', '/run', homedir()]
  if (tooMuch.some((path) => isWithin(path, real)) || isKernelFolder(real) || real === '/tmp') {
    throw new LoopError(
      'bad-request',
      `${workspace} cannot be a workspace: it contains system or home files. Use a separate folder.`,
    )
  }
  return real
}

const isKernelFolder = (real: string): boolean =>
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
    // Writing to its memory could keep the first process alive after this process ends.
    ...emptyFolder('/proc/1'),
    // Root owns the kernel settings and could write them even without capabilities.
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

/** Maps a path in the workspace to its path inside the sandbox. */
function innerPath({ workspace, real, sandboxPath }: PreparedSandbox): (path: string) => string {
  if (sandboxPath === undefined) return (path) => path
  const root = [real, workspace]
  return (path) => {
    const folder = root.find((one) => isWithin(path, one))
    return folder === undefined ? path : join(sandboxPath, relative(folder, path))
  }
}

function workspaceMounts(sandbox: PreparedSandbox): readonly string[] {
  const { workspace, real, git, shown, sandboxPath } = sandbox
  const inside = innerPath(sandbox)
  const readable = (path: string): readonly string[] => ['--ro-bind', path, inside(path)]
  const writable = (path: string): readonly string[] => ['--bind', path, inside(path)]
  const isLink = workspace !== real && sandboxPath === undefined
  return [
    ...shown.outside.flatMap(readable),
    ...writable(real),
    ...(isLink ? ['--symlink', real, workspace] : []),
    ...shown.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    // A mount point cannot be moved.
    ...shown.pinned.flatMap(writable),
    ...shown.inside.flatMap(readable),
    ...git.readOnly.flatMap(readable),
    ...innerMounts(sandbox),
  ]
}

/** Mounts over folders of the workspace, which must exist. */
function innerMounts(sandbox: PreparedSandbox): readonly string[] {
  const { mounts = [], scratch = [], overlay, allLimits } = sandbox
  const inside = innerPath(sandbox)
  const lower = overlay?.lower ?? []
  const bindOption = (path: string): string =>
    lower.some((folder) => isWithin(path, folder)) ? '--bind' : '--ro-bind'
  return [
    ...lower.flatMap((path) => ['--bind', path, path]),
    ...mounts.flatMap(({ from, to }) => [bindOption(from), from, inside(to)]),
    ...scratch.flatMap((path) => ['--size', `${allLimits.tmpBytes}`, '--tmpfs', inside(path)]),
  ]
}

/** Each is covered by an empty file, whose content bubblewrap reads from a separate descriptor. */
export function hiddenFiles({ git, shown: { hidden } }: PreparedSandbox): readonly string[] {
  const ofGit = git.hide.filter((file) => !hidden.some(({ path }) => isWithin(file, path)))
  return [...ofGit, ...hidden.flatMap(({ path, isFolder }) => (isFolder ? [] : [path]))]
}

/** Not /dev/null, so that writing to it fails visibly. */
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

function relayFiles(sandbox: SandboxSpec, relay: string): readonly string[] {
  const relays = listRelays(sandbox)
  if (relays.length === 0) return []
  return [
    '--ro-bind',
    relay,
    relayProgram,
    ...relays.flatMap(({ socket }, index) => ['--ro-bind', socket, relaySocket(index)]),
  ]
}

export const listRelays = ({
  gateway,
  network,
}: SandboxSpec): readonly NonNullable<SandboxSpec['gateway']>[] =>
  [gateway, network].filter((one) => one !== undefined)

function innerEnvironment(
  sandbox: PreparedSandbox,
  command: InnerCommand,
): readonly [string, string][] {
  const proxy = sandbox.network && `http://127.0.0.1:${sandbox.network.port}`
  return Object.entries({
    HOME: innerHome,
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    // The index of the repository can be read but not refreshed.
    GIT_OPTIONAL_LOCKS: '0',
    ...sandbox.toolchains.env,
    PATH: [
      ...(sandbox.programs ?? []).map(innerPath(sandbox)),
      sandbox.toolchains.env['PATH'],
      ...sandbox.shown.programFolders,
    ].join(delimiter),
    ...defined({ HTTPS_PROXY: proxy, https_proxy: proxy }),
    ...sandbox.env,
    ...command.env,
  })
}
