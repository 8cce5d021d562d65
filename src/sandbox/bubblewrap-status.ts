/**
 * Releases a command in bubblewrap: when bubblewrap reports its first process, that process is moved into its
 * control groups, and then the guard is released. bubblewrap-launch.ts lists the invariants.
 */

import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cgroup } from './cgroups.ts'
import { releaseDescriptor, releaseMessage } from './guard.ts'
import { isBusy, kill } from './process-group.ts'

export const statusDescriptor = 3

export function write(child: ChildProcess, descriptor: number, content: string | Uint8Array): void {
  // The child may exit before it has read anything; its exit code reports that.
  pipeAt(child, descriptor)
    ?.on('error', () => {})
    .end(content)
}

/** Node's types cover only the first five descriptors. */
const pipeAt = (child: ChildProcess, descriptor: number): Duplex | undefined =>
  (child.stdio as readonly unknown[])[descriptor] as Duplex | undefined

export interface Status {
  /** The pid of the first process of the namespace, once it exists. */
  readonly first: () => number | undefined
  /** bubblewrap reports an exit code only for a command that had started. */
  readonly hasStarted: () => boolean
}

/** Reads bubblewrap's status. When the first process exists, it is limited and then released. */
export function followStatus(child: ChildProcess, group: Cgroup | undefined): Status {
  let text = ''
  let first: number | undefined
  child.stdio[statusDescriptor]
    ?.on('error', () => {})
    .on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const pid = /"child-pid": (\d+)\b/.exec(text)?.[1]
      if (first !== undefined || pid === undefined) return
      first = Number(pid)
      void release(child, group, first)
    })
  return { first: () => first, hasStarted: () => text.includes('"exit-code"') }
}

/**
 * The control groups must contain the first process and the guard, and so all their descendants; the outer
 * bubblewrap need not be in them. The first process asks to die with bubblewrap only after it has started
 * the guard, and then blocks, so the release waits until it blocks.
 */
async function release(
  child: ChildProcess,
  group: Cgroup | undefined,
  first: number,
): Promise<void> {
  try {
    const guarded = isGuarded(child)
    await group?.add(first)
    if (!(await guarded)) return
    if (group !== undefined) await addGuard(group, first)
    while (isBusy(first)) await sleep(1)
    write(child, releaseDescriptor, releaseMessage)
  } catch {
    // The command must not run without its limits.
    killOuter(child)
  }
}

/** The guard is in the groups already, unless it was started before its parent was moved. */
async function addGuard(group: Cgroup, first: number): Promise<void> {
  const guard = findCommandPid(first)
  if (guard === undefined) throw new Error('The guard has not started.')
  if (group.has(guard)) return
  await group.add(guard)
  if (!group.has(guard)) throw new Error('The guard is not in its control groups.')
}

/** Resolves with true when the guard runs, with false if the sandbox ended before. */
function isGuarded(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const pipe = pipeAt(child, releaseDescriptor)?.on('error', () => {})
    pipe?.once('data', () => resolve(true)).once('close', () => resolve(false))
  })
}

/** Kills the process group, which includes the first process of the namespace. */
export function killOuter({ pid }: ChildProcess): void {
  if (pid !== undefined) kill(-pid, 'SIGKILL')
}

/** The command is the first child of the namespace's first process. */
export function findCommandPid(first: number | undefined): number | undefined {
  if (first === undefined) return undefined
  try {
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'latin1')
    const [child] = children.split(' ')
    return child === undefined || child === '' ? undefined : Number(child)
  } catch {
    return undefined
  }
}
