/**
 * Limits for all processes of a command together, with control groups (v1 or v2).
 *
 * 1. Each command has separate groups, named after its mark, which are removed when it ends.
 * 2. Groups that a killed process left behind are removed by the next process that opens control groups.
 * 3. A group that cannot be created, configured or joined is an error: no command runs without its limits.
 *
 * Groups are created below the group of this process or, in v2, below the nearest writable parent that
 * delegates `memory` and `pids`.
 */

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  write,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Hierarchy, readHierarchies } from './cgroup-hierarchies.ts'
import { isAbandoned, kill } from './process-group.ts'
import type { SandboxLimits } from './sandbox-type.ts'

export interface Cgroups {
  create(name: string, limits: SandboxLimits, options?: CgroupOptions): Cgroup
  /** Removes the groups of ended processes, and kills the processes in them. */
  removeAbandoned(): Promise<void>
}

export interface CgroupOptions {
  /** Adds a freezer, if the kernel offers one. */
  readonly canFreeze?: boolean
}

/** Pauses all processes of a group; they react to no signal except SIGKILL. */
export interface Freezer {
  freeze(): void
  /** Freezing takes the kernel a moment. */
  isFrozen(): boolean
  thaw(): void
}

export interface Cgroup {
  /**
   * Rejects unless the process is in the group afterwards, or has ended. The kernel takes milliseconds for
   * this, so it does not block the main thread.
   */
  add(pid: number): Promise<void>
  has(pid: number): boolean
  /** Undefined if the kernel offers none. */
  readonly freezer: Freezer | undefined
  /** The limit that was exceeded, if any. */
  exceeded(): 'memory' | 'processes' | undefined
  /** Kills all processes of the group. Resolves with those that are still alive. */
  remove(): Promise<readonly number[]>
}

const prefix = 'loopwright.'
/** A killed process ends within milliseconds, unless it is blocked in the kernel. */
const removeMsMax = 5000

/** Undefined if control groups cannot be created on this machine. */
export function openCgroups(found: readonly Hierarchy[] = readHierarchies()): Cgroups | undefined {
  // A hierarchy that can only freeze is optional.
  const hierarchies = found.filter((one) => !isOnlyFreezer(one) || canCreateGroups([one]))
  const has = (controller: string): boolean =>
    hierarchies.some(({ controllers }) => controllers.includes(controller))
  if (!has('pids') || !has('memory') || !canCreateGroups(hierarchies)) return undefined
  return {
    create: (name, limits, { canFreeze = false } = {}) =>
      createCgroup(
        hierarchies.filter((one) => canFreeze || !isOnlyFreezer(one)),
        `${prefix}${name}`,
        limits,
      ),
    async removeAbandoned() {
      for (const { folder } of hierarchies) {
        for (const name of listAbandoned(folder)) await removeFolder(join(folder, name))
      }
    },
  }
}

const isOnlyFreezer = ({ controllers }: Hierarchy): boolean => controllers.includes('freezer')

function canCreateGroups(hierarchies: readonly Hierarchy[]): boolean {
  const name = `${prefix}test.${process.pid}`
  try {
    for (const { folder, limitFile } of hierarchies) {
      mkdirSync(join(folder, name))
      try {
        // A group that can be created but not limited is useless.
        readFileSync(join(folder, name, limitFile))
      } finally {
        rmdirSync(join(folder, name))
      }
    }
    return true
  } catch {
    return false
  }
}

function createCgroup(
  hierarchies: readonly Hierarchy[],
  name: string,
  limits: SandboxLimits,
): Cgroup {
  const groups = hierarchies
    // Each group costs a millisecond or more, so a group without a limit is not created.
    .filter((one) => isOnlyFreezer(one) || one.settings(limits).length > 0)
    .map((hierarchy) => ({ ...hierarchy, folder: join(hierarchy.folder, name) }))
  const created: string[] = []
  try {
    for (const { folder, settings } of groups) {
      mkdirSync(folder)
      created.push(folder)
      for (const { file, value, optional } of settings(limits)) {
        writeSetting(join(folder, file), value, optional)
      }
    }
  } catch (error) {
    for (const folder of created) rmdirSync(folder)
    throw error
  }
  return {
    async add(pid) {
      await Promise.all(groups.map(({ folder }) => joinGroup(folder, pid)))
    },
    has: (pid) => isMember(name, groups.length, pid),
    freezer: groups.map(({ folder }) => openFreezer(folder)).find((one) => one !== undefined),
    exceeded: () =>
      groups.map((group) => group.exceeded(group.folder)).find((one) => one !== undefined),
    async remove() {
      const alive = await Promise.all(groups.map(({ folder }) => removeFolder(folder)))
      return [...new Set(alive.flat())]
    },
  }
}

/** v2 only: processes frozen by v1 cannot be killed, not even when this process dies. */
function openFreezer(folder: string): Freezer | undefined {
  const file = join(folder, 'cgroup.freeze')
  if (!existsSync(file)) return undefined
  return {
    freeze: () => writeFileSync(file, '1', { flag: 'r+' }),
    isFrozen: () => readFileSync(join(folder, 'cgroup.events'), 'latin1').includes('frozen 1'),
    thaw: () => writeSetting(file, '0', true),
  }
}

function writeSetting(file: string, value: string, optional: boolean): void {
  try {
    writeFileSync(file, value, { flag: 'r+' })
  } catch (error) {
    // Not every kernel has swap accounting, for example.
    if (!optional) throw error
  }
}

/** Opens and closes synchronously, so that only the write goes through another thread. */
async function joinGroup(folder: string, pid: number): Promise<void> {
  const file = openSync(join(folder, 'cgroup.procs'), 'r+')
  try {
    await writeTo(file, `${pid}`)
  } catch (error) {
    const isDead = (error as NodeJS.ErrnoException).code === 'ESRCH'
    if (!isDead) throw error
  } finally {
    closeSync(file)
  }
}

const writeTo = promisify<number, string, void>((file, text, done) =>
  write(file, text, (error) => done(error)),
)

/** Reading this is a hundred times cheaper than moving the process. */
function isMember(name: string, count: number, pid: number): boolean {
  try {
    const lines = readFileSync(`/proc/${pid}/cgroup`, 'latin1').split('\n')
    return lines.filter((line) => line.endsWith(`/${name}`)).length === count
  } catch {
    return false
  }
}

function listAbandoned(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter(
      (name) => name.startsWith(prefix) && isAbandoned(name.slice(prefix.length)),
    )
  } catch {
    return []
  }
}

/** Resolves with the processes that prevent the removal. */
async function removeFolder(folder: string): Promise<readonly number[]> {
  const startedAt = performance.now()
  for (let waitMs = 0.5; ; waitMs = Math.min(2 * waitMs, 20)) {
    try {
      rmdirSync(folder)
      return []
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    }
    const members = listMembers(folder)
    if (performance.now() - startedAt > removeMsMax) return members
    for (const pid of members) kill(pid, 'SIGKILL')
    await sleep(waitMs)
  }
}

function listMembers(folder: string): readonly number[] {
  try {
    const text = readFileSync(join(folder, 'cgroup.procs'), 'latin1')
    // A process of another namespace is listed as 0, and signaling 0 would hit our own group.
    return text
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 0)
  } catch {
    return []
  }
}
