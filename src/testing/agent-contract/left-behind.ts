/**
 * What a piece of work left alive: timers, sockets and children that it made, and processes anywhere that
 * have their folder in the one that it was given. The latter can be seen on Linux only.
 */

import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { readdir, readlink } from 'node:fs/promises'
import { sep } from 'node:path'

/** Tracks only resources that the given work creates. Must be closed. */
export interface HandleWatch {
  run<T>(work: () => T): T
  /** Those that keep the process alive now: `Timeout`, `PROCESSWRAP`… */
  alive(): readonly string[]
  /** Makes sure that remaining resources do not keep the process alive. Timers are cleared. */
  close(): void
}

/** A timer, or what is at the bottom of a socket, a server or a child. */
interface Handle {
  hasRef(): unknown
  unref?(): unknown
}

export function watchHandles(): HandleWatch {
  const made = new Map<number, { readonly type: string; readonly handle: Handle }>()
  const living = (): { readonly type: string; readonly handle: Handle }[] =>
    [...made.values()].filter(({ handle }) => handle.hasRef() === true)
  const own = new AsyncLocalStorage<true>()
  const hook = createHook({
    init(id, type, _trigger, resource) {
      if (own.getStore() === true && canBeHeld(resource)) {
        made.set(id, { type, handle: resource })
      }
    },
    destroy: (id) => void made.delete(id),
  }).enable()
  return {
    run: (work) => own.run(true, work),
    alive: () => living().map(({ type }) => type),
    close() {
      hook.disable()
      for (const { type, handle } of living()) release(type, handle)
    },
  }
}

/** Other code may share a socket or a server, so it stays open. Timers are not shared. */
function release(type: string, handle: Handle): void {
  if (type === 'Timeout') clearTimeout(handle as NodeJS.Timeout)
  else if (type === 'Immediate') clearImmediate(handle as NodeJS.Immediate)
  else handle.unref?.()
}

/** Promises and the like keep nothing alive. */
const canBeHeld = (resource: object): resource is Handle =>
  'hasRef' in resource && typeof resource.hasRef === 'function'

/** Ids of processes that are at work in one of these folders. */
export async function processesIn(folders: readonly string[]): Promise<readonly number[]> {
  const entries = await readdir('/proc').catch(() => [])
  const ids = entries.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = await Promise.all(
    ids.map(async (id) => {
      const place = await readlink(`/proc/${id}/cwd`).catch(() => '')
      return folders.some((folder) => `${place}${sep}`.startsWith(folder + sep)) ? [Number(id)] : []
    }),
  )
  return found.flat()
}

/** Ends processes that work in one of these folders, which are about to be removed. */
export async function endProcessesIn(folders: readonly string[]): Promise<void> {
  for (const id of await processesIn(folders)) {
    try {
      process.kill(id, 'SIGKILL')
    } catch {
      // It has already ended, or we may not end it.
    }
  }
}
