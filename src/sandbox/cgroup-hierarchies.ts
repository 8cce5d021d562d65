/**
 * Where control groups can be created, in cgroup v1 or v2, and the names of their files. In v1 each
 * controller has a separate hierarchy; v2 has a single one.
 */

import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { SandboxLimits } from './sandbox-type.ts'

export interface Hierarchy {
  /** Groups are created in this folder. */
  readonly folder: string
  readonly controllers: readonly string[]
  /** A file that every usable group has. */
  readonly limitFile: string
  settings(limits: SandboxLimits): readonly Setting[]
  exceeded(folder: string): 'memory' | 'processes' | undefined
}

export interface Setting {
  readonly file: string
  readonly value: string
  readonly optional: boolean
}

interface Mount {
  readonly root: string
  readonly point: string
  readonly type: string
  readonly options: readonly string[]
}

/** The content of kernel files; tests pass their own. */
export interface KernelFiles {
  readonly mountInfo: string
  readonly ownGroups: string
}

const cpuPeriodMicros = 100_000

/** Empty if there are no control groups, or this user may not create any. */
export function readHierarchies(
  files: KernelFiles | undefined = readKernelFiles(),
): readonly Hierarchy[] {
  if (files === undefined) return []
  const mounts = readMounts(files.mountInfo)
  const own = readOwnGroups(files.ownGroups)
  const v2 = findV2(mounts, own)
  if (v2 !== undefined) return [v2]
  const v1 = [
    findV1(mounts, own, 'pids'),
    findV1(mounts, own, 'memory'),
    findV1(mounts, own, 'cpu'),
  ].filter((one) => one !== undefined)
  const freezer = v1.length === 0 ? undefined : findHybridFreezer(mounts, own)
  return freezer === undefined ? v1 : [...v1, freezer]
}

function readKernelFiles(): KernelFiles | undefined {
  try {
    return {
      mountInfo: readFileSync('/proc/self/mountinfo', 'utf8'),
      ownGroups: readFileSync('/proc/self/cgroup', 'utf8'),
    }
  } catch {
    return undefined
  }
}

function readMounts(mountInfo: string): readonly Mount[] {
  return mountInfo.split('\n').flatMap((line): readonly Mount[] => {
    const [left = '', right = ''] = line.split(' - ')
    const [, , , root = '', point = ''] = left.split(' ')
    const [type = '', , options = ''] = right.split(' ')
    if (type !== 'cgroup' && type !== 'cgroup2') return []
    return [
      { root: unescapeOctal(root), point: unescapeOctal(point), type, options: options.split(',') },
    ]
  })
}

/** The kernel writes spaces and similar characters as octal escapes. */
const unescapeOctal = (path: string): string =>
  path.replaceAll(/\\(\d{3})/g, (_all, octal: string) => String.fromCharCode(parseInt(octal, 8)))

/** By controller; v2 has the empty name. */
function readOwnGroups(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [, names = '', ...path] = line.split(':')
        return names.split(',').map((name): [string, string] => [name, path.join(':')])
      }),
  )
}

/** In a container the mount may start below the real root, or the reported group may not exist in it. */
function findGroupFolder(mount: Mount, group: string): string {
  const below = relative(mount.root, group)
  const folder = below.startsWith('..') ? mount.point : join(mount.point, below)
  return existsSync(folder) ? folder : mount.point
}

function findV1(
  mounts: readonly Mount[],
  own: ReadonlyMap<string, string>,
  controller: 'pids' | 'memory' | 'cpu',
): Hierarchy | undefined {
  const mount = mounts.find(
    ({ type, options }) => type === 'cgroup' && options.includes(controller),
  )
  if (mount === undefined) return undefined
  const folder = findGroupFolder(mount, own.get(controller) ?? '/')
  const found = { folder, controllers: [controller] }
  switch (controller) {
    case 'pids':
      return {
        ...found,
        limitFile: 'pids.max',
        settings: ({ processes }) => [setting('pids.max', processes)],
        exceeded: (group) => (count(group, 'pids.events', 'max') > 0 ? 'processes' : undefined),
      }
    case 'memory':
      return {
        ...found,
        limitFile: 'memory.limit_in_bytes',
        settings: ({ memoryBytes }) => [
          setting('memory.limit_in_bytes', memoryBytes),
          setting('memory.memsw.limit_in_bytes', memoryBytes, true),
        ],
        exceeded: (group) =>
          count(group, 'memory.oom_control', 'oom_kill') > 0 ? 'memory' : undefined,
      }
    case 'cpu':
      return {
        ...found,
        limitFile: 'cpu.cfs_quota_us',
        settings: ({ cpus }) =>
          cpus === undefined
            ? []
            : [
                setting('cpu.cfs_period_us', cpuPeriodMicros),
                setting('cpu.cfs_quota_us', Math.round(cpus * cpuPeriodMicros)),
              ],
        exceeded: () => undefined,
      }
  }
}

function findV2(mounts: readonly Mount[], own: ReadonlyMap<string, string>): Hierarchy | undefined {
  const mount = mounts.find(({ type }) => type === 'cgroup2')
  if (mount === undefined) return undefined
  const folder = findDelegatingFolder(findGroupFolder(mount, own.get('') ?? '/'), mount.point)
  if (folder === undefined) return undefined
  return {
    folder,
    controllers: ['pids', 'memory', 'cpu'],
    limitFile: 'memory.max',
    settings: ({ processes, memoryBytes, cpus }) => [
      setting('pids.max', processes),
      setting('memory.max', memoryBytes),
      setting('memory.swap.max', 0, true),
      ...(cpus === undefined
        ? []
        : [setting('cpu.max', `${Math.round(cpus * cpuPeriodMicros)} ${cpuPeriodMicros}`)]),
    ],
    exceeded(group) {
      if (count(group, 'memory.events', 'oom_kill') > 0) return 'memory'
      return count(group, 'pids.events', 'max') > 0 ? 'processes' : undefined
    },
  }
}

/** Beside the v1 hierarchies there is often a v2 one without controllers; it can still freeze processes. */
function findHybridFreezer(
  mounts: readonly Mount[],
  own: ReadonlyMap<string, string>,
): Hierarchy | undefined {
  const mount = mounts.find(({ type }) => type === 'cgroup2')
  if (mount === undefined) return undefined
  return {
    folder: findGroupFolder(mount, own.get('') ?? '/'),
    controllers: ['freezer'],
    limitFile: 'cgroup.freeze',
    settings: () => [],
    exceeded: () => undefined,
  }
}

/** A group that contains processes cannot delegate controllers to child groups, but a parent of it may. */
function findDelegatingFolder(from: string, top: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (canDelegate(folder)) return folder
    if (folder === top || folder === dirname(folder)) return undefined
  }
}

function canDelegate(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    // Moving a process needs write access to this file of the common ancestor of both groups.
    accessSync(join(folder, 'cgroup.procs'), constants.W_OK)
    const control = join(folder, 'cgroup.subtree_control')
    if (!hasBoth(control)) writeFileSync(control, '+memory +pids', { flag: 'r+' })
    return hasBoth(control)
  } catch {
    return false
  }
}

function hasBoth(file: string): boolean {
  const names = readFileSync(file, 'latin1').trim().split(/\s+/)
  return names.includes('memory') && names.includes('pids')
}

const setting = (file: string, value: number | string, optional = false): Setting => ({
  file,
  value: `${value}`,
  optional,
})

/** Reads a value from a file of lines `name value`. */
function count(folder: string, file: string, name: string): number {
  try {
    const lines = readFileSync(join(folder, file), 'latin1').split('\n')
    return Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? 0)
  } catch {
    return 0
  }
}
