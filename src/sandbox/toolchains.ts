/**
 * The programs of this machine that are mounted read-only inside: those of the system, the Node that runs this
 * process, and those that the user installed (user-programs.ts).
 */

import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path'
import { defined } from '../loop/index.ts'
import { findUserPrograms } from './user-programs.ts'

export interface Toolchains {
  /** Mounted at the same path inside. */
  readonly mounts: readonly string[]
  /** Symlinks of the system in `/`, such as `/bin`. */
  readonly links: readonly { readonly path: string; readonly target: string }[]
  readonly env: Readonly<Record<string, string>>
  /** Files in the mounts that may hold credentials. */
  readonly hide?: readonly string[]
  /** Folders of the PATH that are not shown, and why. */
  readonly leftOut?: readonly { readonly path: string; readonly why: string }[]
}

export interface ToolchainOptions {
  readonly home: string
  readonly path: string
  readonly node: string
  readonly variables?: Readonly<Record<string, string | undefined>>
}

/**
 * Readable by every user, and without secrets. Not `/etc/ssl`, which contains private keys. No more than
 * programs need, because each mount costs a tenth of a millisecond at every start.
 */
const systemFiles = [
  '/etc/alternatives',
  '/etc/group',
  '/etc/hosts',
  '/etc/ld.so.cache',
  '/etc/nsswitch.conf',
  '/etc/passwd',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/nix/store',
]

const topFolders = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']
const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

export function findToolchains({ home, path, node, variables }: ToolchainOptions): Toolchains {
  const own = findUserPrograms({ home, path, ...defined({ variables }) })
  const entries = own.path
  const mounts = [
    '/usr',
    ...topFolders.map((name) => `/${name}`).filter(isRealFolder),
    ...systemFiles.filter((file) => existsSync(file)),
    ...own.mounts,
    ...entries
      .filter((entry) => entry.startsWith('/opt/'))
      .map(firstTwoParts)
      .filter(isRealFolder),
    ...goMounts(join(home, 'sdk')),
    ...nodeMounts(node, home),
  ]
  const unique = withoutNested([...new Set(mounts)])
  const visible = (folder: string): boolean =>
    systemPath.includes(folder) || unique.some((mount) => isWithin(folder, mount))
  // In the user's order: a newer program in the home directory may override one of the system.
  const ownNode = entries.includes(dirname(node)) ? [] : [dirname(node)]
  const ownPath = [...ownNode, ...entries, ...systemPath]
  return {
    mounts: unique,
    links: [...topFolders.map((name) => `/${name}`), '/etc/localtime'].flatMap(readLink),
    env: {
      PATH: [...new Set(ownPath.filter(visible))].join(delimiter),
      ...own.env,
    },
    get hide() {
      return own.hide
    },
    leftOut: own.leftOut,
  }
}

/** The Go versions that `go install golang.org/dl/…` puts there. The folder may contain other files too. */
function goMounts(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^go\d[\w.]*$/.test(name))
      .map((name) => join(folder, name))
      .filter(isRealFolder)
  } catch {
    return []
  }
}

/** The folder that Node was installed into, or only the program if the folder contains other things. */
function nodeMounts(node: string, home: string): readonly string[] {
  return [...new Set([node, resolveLinks(node)])].flatMap((program) => {
    if (isWithin(program, '/usr')) return []
    const installed = dirname(dirname(program))
    const isNodeOnly =
      existsSync(join(installed, 'include', 'node')) &&
      existsSync(join(installed, 'lib', 'node_modules')) &&
      !isWithin(home, installed)
    return [isNodeOnly ? installed : program]
  })
}

export const isWithin = (path: string, folder: string): boolean => {
  const inner = relative(folder, path)
  return inner === '' || !(inner === '..' || inner.startsWith('../') || isAbsolute(inner))
}

/** A mount inside another one is redundant. */
export const withoutNested = (mounts: readonly string[]): readonly string[] =>
  mounts.filter((mount) => !mounts.some((other) => other !== mount && isWithin(mount, other)))

const firstTwoParts = (path: string): string => path.split('/').slice(0, 3).join('/')

function isRealFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory() && readdirSync(path).length > 0
  } catch {
    return false
  }
}

function readLink(path: string): Toolchains['links'] {
  try {
    if (!lstatSync(path).isSymbolicLink()) return []
    return [{ path, target: relative(dirname(path), realpathSync(path)) }]
  } catch {
    return []
  }
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
