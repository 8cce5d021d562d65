/**
 * Where control groups can be made, in either version, and what the files in them are called. In
 * version 1 each controller has a tree of its own, in version 2 there is one tree for all.
 */

import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { SandboxLimits } from './sandbox-type.ts'

export interface Hierarchy {
  /** Groups are made in it. */
  readonly folder: string
  readonly controllers: readonly string[]
  /** What a group of it must have. */
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

/** Files of the kernel, as text; tests have their own. */
export interface KernelFiles {
  readonly mountInfo: string
  readonly ownGroups: string
}

const cpuPeriodMicros = 100_000

/** Empty where there are none, or not for us. */
export function readHierarchies(
  files: KernelFiles | undefined = readKernelFiles(),
): readonly Hierarchy[] {
  if (files === undefined) return []
  const mounts = readMounts(files.mountInfo)
  const own = readOwnGroups(files.ownGroups)
  const second = secondVersion(mounts, own)
  if (second !== undefined) return [second]
  const first = [
    firstVersion(mounts, own, 'pids'),
    firstVersion(mounts, own, 'memory'),
    firstVersion(mounts, own, 'cpu'),
  ].filter((one) => one !== undefined)
  const freezer = first.length === 0 ? undefined : freezerBesideFirst(mounts, own)
  return freezer === undefined ? first : [...first, freezer]
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

/** Spaces and the like are written as octal numbers. */
const unescapeOctal = (path: string): string =>
  path.replaceAll(/\\(\d{3})/g, (_all, octal: string) => String.fromCharCode(parseInt(octal, 8)))

/** By controller; version 2 has the empty name. */
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

/** In a container the tree may begin below the real one, or at another place than we are told. */
function folderOf(mount: Mount, group: string): string {
  const below = relative(mount.root, group)
  const folder = below.startsWith('..') ? mount.point : join(mount.point, below)
  return existsSync(folder) ? folder : mount.point
}

function firstVersion(
  mounts: readonly Mount[],
  own: ReadonlyMap<string, string>,
  controller: 'pids' | 'memory' | 'cpu',
): Hierarchy | undefined {
  const mount = mounts.find(
    ({ type, options }) => type === 'cgroup' && options.includes(controller),
  )
  if (mount === undefined) return undefined
  const folder = folderOf(mount, own.get(controller) ?? '/')
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

function secondVersion(
  mounts: readonly Mount[],
  own: ReadonlyMap<string, string>,
): Hierarchy | undefined {
  const mount = mounts.find(({ type }) => type === 'cgroup2')
  if (mount === undefined) return undefined
  const folder = nearestGiving(folderOf(mount, own.get('') ?? '/'), mount.point)
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

/** Beside the trees of version 1 there is often one of version 2 that gives nothing; all of them freeze. */
function freezerBesideFirst(
  mounts: readonly Mount[],
  own: ReadonlyMap<string, string>,
): Hierarchy | undefined {
  const mount = mounts.find(({ type }) => type === 'cgroup2')
  if (mount === undefined) return undefined
  return {
    folder: folderOf(mount, own.get('') ?? '/'),
    controllers: ['freezer'],
    limitFile: 'cgroup.freeze',
    settings: () => [],
    exceeded: () => undefined,
  }
}

/** A group that has processes of its own can give nothing to groups below it, but one above it may. */
function nearestGiving(from: string, top: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (gives(folder)) return folder
    if (folder === top || folder === dirname(folder)) return undefined
  }
}

function gives(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    // Moving a process needs this one of the group that has both the old place and the new.
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

/** From a file of lines `name value`. */
function count(folder: string, file: string, name: string): number {
  try {
    const lines = readFileSync(join(folder, file), 'latin1').split('\n')
    return Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? 0)
  } catch {
    return 0
  }
}
