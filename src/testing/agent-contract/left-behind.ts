/**
 * What a piece of work left alive: timers, sockets and children that it made, and processes anywhere that
 * have their folder in the one that it was given. The latter can be seen on Linux only.
 */

import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { readdir, readlink } from 'node:fs/promises'
import { sep } from 'node:path'

/** Sees what is made by the work that it runs, and by nobody else. Close it. */
export interface HandleWatch {
  run<T>(work: () => T): T
  /** Those that keep the process alive now: `Timeout`, `PROCESSWRAP`… */
  alive(): readonly string[]
  close(): void
}

interface Handle {
  readonly type: string
  readonly hasRef: () => unknown
}

export function watchHandles(): HandleWatch {
  const made = new Map<number, Handle>()
  const own = new AsyncLocalStorage<true>()
  const hook = createHook({
    init(id, type, _trigger, resource) {
      if (own.getStore() === true && canBeHeld(resource)) {
        made.set(id, { type, hasRef: () => resource.hasRef() })
      }
    },
    destroy: (id) => void made.delete(id),
  }).enable()
  return {
    run: (work) => own.run(true, work),
    alive: () =>
      [...made.values()].filter(({ hasRef }) => hasRef() === true).map(({ type }) => type),
    close: () => void hook.disable(),
  }
}

/** Promises and the like keep nothing alive. */
const canBeHeld = (resource: object): resource is { hasRef(): unknown } =>
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
