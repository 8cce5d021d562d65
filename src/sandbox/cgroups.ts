/**
 * Limits on all that a command starts together, by control groups of either version.
 *
 * 1. A command has groups of its own, named after its mark, and they are removed after it.
 * 2. What a process that was killed left behind is removed by the next one that opens groups.
 * 3. A group that cannot be made, filled or joined is an error: nothing runs without its limits.
 *
 * They are made below the group of this process or, in version 2, below the nearest one above it that
 * may be written to and hands out `memory` and `pids`.
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
  /** Removes groups of processes that are dead, and kills what is in them. */
  removeAbandoned(): Promise<void>
}

export interface CgroupOptions {
  /** It has to have a freezer, where there is one. */
  readonly canFreeze?: boolean
}

/** Holds all that is in a group, whatever signals it gets; only killing works. */
export interface Freezer {
  freeze(): void
  /** It takes the kernel a moment. */
  isFrozen(): boolean
  thaw(): void
}

export interface Cgroup {
  /**
   * Rejects unless the process is in it afterwards, or dead. It takes the kernel milliseconds, so it is
   * not waited for in our only thread.
   */
  add(pid: number): Promise<void>
  has(pid: number): boolean
  /** Absent where the kernel has none for us. */
  readonly freezer: Freezer | undefined
  /** Which limit was met. */
  exceeded(): 'memory' | 'processes' | undefined
  /** Kills what is in it. Resolves with what would not die. */
  remove(): Promise<readonly number[]>
}

const prefix = 'loopwright.'
/** What was killed is gone in milliseconds, unless it is stuck in the kernel. */
const removeMs = 5000

/** Undefined when groups cannot be made here. */
export function openCgroups(found: readonly Hierarchy[] = readHierarchies()): Cgroups | undefined {
  // One that only freezes is not needed for limits.
  const hierarchies = found.filter((one) => !isOnlyFreezer(one) || canMake([one]))
  const has = (controller: string): boolean =>
    hierarchies.some(({ controllers }) => controllers.includes(controller))
  if (!has('pids') || !has('memory') || !canMake(hierarchies)) return undefined
  return {
    create: (name, limits, { canFreeze = false } = {}) =>
      createCgroup(
        hierarchies.filter((one) => canFreeze || !isOnlyFreezer(one)),
        `${prefix}${name}`,
        limits,
      ),
    async removeAbandoned() {
      for (const { folder } of hierarchies) {
        for (const name of abandonedIn(folder)) await removeFolder(join(folder, name))
      }
    },
  }
}

const isOnlyFreezer = ({ controllers }: Hierarchy): boolean => controllers.includes('freezer')

function canMake(hierarchies: readonly Hierarchy[]): boolean {
  const name = `${prefix}test.${process.pid}`
  try {
    for (const { folder, limitFile } of hierarchies) {
      mkdirSync(join(folder, name))
      try {
        // A group that may be made but not limited would be no limit.
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
    // Each costs a millisecond or more, so one that would limit nothing is not made.
    .filter((one) => isOnlyFreezer(one) || one.settings(limits).length > 0)
    .map((hierarchy) => ({ ...hierarchy, folder: join(hierarchy.folder, name) }))
  const made: string[] = []
  try {
    for (const { folder, settings } of groups) {
      mkdirSync(folder)
      made.push(folder)
      for (const { file, value, optional } of settings(limits)) {
        writeSetting(join(folder, file), value, optional)
      }
    }
  } catch (error) {
    for (const folder of made) rmdirSync(folder)
    throw error
  }
  return {
    async add(pid) {
      await Promise.all(groups.map(({ folder }) => enter(folder, pid)))
    },
    has: (pid) => isIn(name, groups.length, pid),
    freezer: groups.map(({ folder }) => freezerOf(folder)).find((one) => one !== undefined),
    exceeded: () =>
      groups.map((group) => group.exceeded(group.folder)).find((one) => one !== undefined),
    async remove() {
      const alive = await Promise.all(groups.map(({ folder }) => removeFolder(folder)))
      return [...new Set(alive.flat())]
    },
  }
}

/** Only version 2: what version 1 holds cannot be killed, not even with us. */
function freezerOf(folder: string): Freezer | undefined {
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
    // Swap accounting, for one, is not compiled in everywhere.
    if (!optional) throw error
  }
}

/** Opened and closed here, so that only the write is on its way through another thread. */
async function enter(folder: string, pid: number): Promise<void> {
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

/** Reading costs a hundredth of moving it. */
function isIn(name: string, count: number, pid: number): boolean {
  try {
    const lines = readFileSync(`/proc/${pid}/cgroup`, 'latin1').split('\n')
    return lines.filter((line) => line.endsWith(`/${name}`)).length === count
  } catch {
    return false
  }
}

function abandonedIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter(
      (name) => name.startsWith(prefix) && isAbandoned(name.slice(prefix.length)),
    )
  } catch {
    return []
  }
}

/** Resolves with the processes that are in its way. */
async function removeFolder(folder: string): Promise<readonly number[]> {
  const startedAt = performance.now()
  for (let waitMs = 0.5; ; waitMs = Math.min(2 * waitMs, 20)) {
    try {
      rmdirSync(folder)
      return []
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    }
    const members = membersOf(folder)
    if (performance.now() - startedAt > removeMs) return members
    for (const pid of members) kill(pid, 'SIGKILL')
    await sleep(waitMs)
  }
}

function membersOf(folder: string): readonly number[] {
  try {
    const text = readFileSync(join(folder, 'cgroup.procs'), 'latin1')
    // A process of another namespace is shown as 0, which would be our own group.
    return text
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 0)
  } catch {
    return []
  }
}
