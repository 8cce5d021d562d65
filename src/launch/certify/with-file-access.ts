/** Adds to each observed run of a check which files of the clean checkout it read and wrote. */

import type { FileAccess, Observable, OpenCheck } from '../../evidence/index.ts'
import { defined } from '../../loop/index.ts'
import type { SandboxSettings } from '../../protocol/index.ts'
import { openSandbox, watchReads } from '../../sandbox/index.ts'
import type { OpenedCheckout } from '../../workspace/index.ts'
import type { OpenedLayer } from '../dependencies/open-layer.ts'

/** Finds out what can be observed in checkouts below this folder. */
export async function findObservable(
  required: SandboxSettings['require'],
  folder: string,
): Promise<Observable> {
  if (required === 'none') {
    return { reads: false, writes: false, reason: 'The loop runs without a sandbox.' }
  }
  const { reads, writes, reason } = await (await openSandbox()).observes(folder)
  return { reads: reads === 'inotify', writes: writes === 'overlay', reason }
}

export interface ObservedPlace {
  readonly opened: OpenedCheckout
  readonly layer: Pick<OpenedLayer, 'mounts'>
  readonly observes: Observable
}

/** Adds the files that an observed run read, and those written since the checkout was reset. */
export function withFileAccess(check: OpenCheck, place: ObservedPlace): OpenCheck {
  const { observe } = check
  if (observe === undefined) return check
  return {
    ...check,
    async observe(context, options) {
      const stop = await startWatch(place)
      try {
        const observation = await observe(context, options)
        return { ...observation, ...(await stop()) }
      } finally {
        await stop()
      }
    },
  }
}

/** Watches only files of the tree, neither `.git` nor the dependencies. */
async function startWatch({
  opened,
  layer,
  observes,
}: ObservedPlace): Promise<() => Promise<FileAccess>> {
  const exclude = ['.git', ...layer.mounts.map(({ to }) => to)]
  const watch = observes.reads ? await watchReads(opened.path, { exclude }) : undefined
  let stopped: Promise<FileAccess> | undefined
  return () => {
    stopped ??= (async () => {
      const read = await watch?.stop()
      const written = await opened.writes?.()
      return defined({ read, written })
    })()
    return stopped
  }
}
