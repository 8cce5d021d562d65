/**
 * How a command in bubblewrap comes to run: bubblewrap tells when its first process is there, that is put
 * into its groups, and the guard gets its word. See bubblewrap-launch.ts for what this keeps.
 */

import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cgroup } from './cgroups.ts'
import { word, wordDescriptor } from './guard.ts'
import { isBusy, kill } from './process-group.ts'

export const statusDescriptor = 3

export function write(child: ChildProcess, descriptor: number, content: string | Uint8Array): void {
  // It may have ended before it has read anything; its exit says so.
  pipeAt(child, descriptor)
    ?.on('error', () => {})
    .end(content)
}

/** Node types five of them. */
const pipeAt = (child: ChildProcess, descriptor: number): Duplex | undefined =>
  (child.stdio as readonly unknown[])[descriptor] as Duplex | undefined

export interface Status {
  /** The first process of the namespace, once it is there. */
  readonly first: () => number | undefined
  /** bubblewrap tells how the command ended only if it had begun. */
  readonly hasBegun: () => boolean
}

/** bubblewrap tells what it does. When the first process is there, it is limited and may go on. */
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
      void letGo(child, group, first)
    })
  return { first: () => first, hasBegun: () => text.includes('"exit-code"') }
}

/**
 * Its groups hold the first process and the guard, so all that comes of them; bubblewrap outside need
 * not be in them. The first process binds its life to bubblewrap's only after it has started the guard,
 * and then waits: so we wait until it waits.
 */
async function letGo(child: ChildProcess, group: Cgroup | undefined, first: number): Promise<void> {
  try {
    const guarded = isGuarded(child)
    await group?.add(first)
    if (!(await guarded)) return
    if (group !== undefined) await addGuard(group, first)
    while (isBusy(first)) await sleep(1)
    write(child, wordDescriptor, word)
  } catch {
    // Without its limits it must not run.
    killOuter(child)
  }
}

/** It is in them already, unless it was started before its parent was moved. */
async function addGuard(group: Cgroup, first: number): Promise<void> {
  const guard = commandOf(first)
  if (guard === undefined) throw new Error('There is no guard.')
  if (group.has(guard)) return
  await group.add(guard)
  if (!group.has(guard)) throw new Error('The guard is not in its groups.')
}

/** The guard is there. False when everything ended before. */
function isGuarded(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const pipe = pipeAt(child, wordDescriptor)?.on('error', () => {})
    pipe?.once('data', () => resolve(true)).once('close', () => resolve(false))
  })
}

/** With the group: the first process of the namespace is in it too. */
export function killOuter({ pid }: ChildProcess): void {
  if (pid !== undefined) kill(-pid, 'SIGKILL')
}

/** The only child that is there from the beginning. */
export function commandOf(first: number | undefined): number | undefined {
  if (first === undefined) return undefined
  try {
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'latin1')
    const [child] = children.split(' ')
    return child === undefined || child === '' ? undefined : Number(child)
  } catch {
    return undefined
  }
}
