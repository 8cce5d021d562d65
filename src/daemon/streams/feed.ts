/**
 * One watch of the journal for all streams of a daemon, and pages that they share.
 *
 * D1. Woken by writes, not by polling rows: one query finds the runs with new events, and only their followers
 *     read. All followers also check now and then, so a missed notification delays a stream and never stops it.
 * D2. A page is read and encoded once for all streams at the same position. Only a few pages are cached,
 *     whatever the number of streams.
 */

import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../../host/host.ts'
import type { RunId } from '../../loop/index.ts'
import { createRecentMap } from '../../system/recent-map.ts'

/** What can be followed: one run, or all. */
export type Subject = RunId | 'store'

export interface Feed {
  /** Follows it until the returned function is called. */
  follow(subject: Subject): () => void
  /** Grows whenever there may be more. Get it before reading, then wait for a higher one. */
  version(subject: Subject): number
  /** Resolves when it is higher, when the signal aborts, and when the feed ends. */
  changed(subject: Subject, version: number, signal: AbortSignal): Promise<void>
  /**
   * Shares the result among all streams that need it before there is more. A complete page, which later
   * events cannot change, is shared for a while.
   */
  share<T>(
    subject: Subject,
    what: string,
    work: () => Promise<T>,
    isWhole: (made: T) => boolean,
  ): Promise<T>
  readonly ended: AbortSignal
  /** Ends all streams. */
  end(): void
}

interface Followed {
  followers: number
  version: number
  wake: Set<() => void>
}

/** The size limit of the cache. */
const sharedMax = 64

const gatherMs = 10

const lookAgainMs = 15_000

const feeds = new WeakMap<object, Feed>()

/** The feed of this host. */
export function findFeed(host: Pick<Host, 'journal'>): Feed {
  const known = feeds.get(host.journal)
  if (known !== undefined) return known
  const feed = createFeed(host)
  feeds.set(host.journal, feed)
  return feed
}

export function createFeed(
  { journal }: Pick<Host, 'journal'>,
  { againMs = lookAgainMs }: { readonly againMs?: number } = {},
): Feed {
  const followed = new Map<Subject, Followed>()
  // Grows across all subjects, so that a page cached for earlier followers is not reused.
  let lastVersion = 0
  const moved = (entry: Followed | undefined): void => {
    if (entry === undefined) return
    entry.version = ++lastVersion
    for (const resolve of entry.wake) resolve()
  }
  const ending = new AbortController()
  // Every stream listens to it.
  setMaxListeners(0, ending.signal)
  const watch = createLooks(journal, againMs, (subjects) => {
    for (const subject of subjects ?? [...followed.keys()]) moved(followed.get(subject))
  })
  const share = createSharing()

  return {
    ended: ending.signal,
    share: (subject, what, work, isWhole) =>
      share(`${subject}/${what}`, followed.get(subject)?.version ?? ++lastVersion, work, isWhole),
    version: (subject) => followed.get(subject)?.version ?? 0,
    follow(subject) {
      const entry = followed.get(subject) ?? {
        followers: 0,
        version: ++lastVersion,
        wake: new Set(),
      }
      followed.set(subject, entry)
      entry.followers++
      if (!ending.signal.aborted) watch.start()
      return () => {
        entry.followers--
        if (entry.followers === 0) followed.delete(subject)
        if (followed.size === 0) watch.stop()
      }
    },
    async changed(subject, version, signal) {
      const entry = followed.get(subject)
      if (entry === undefined || entry.version > version) return
      if (signal.aborted || ending.signal.aborted) return
      await new Promise<void>((resolve) => {
        const done = (): void => {
          entry.wake.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        entry.wake.add(done)
        signal.addEventListener('abort', done, { once: true })
      })
    },
    end() {
      ending.abort()
      watch.stop()
      for (const entry of followed.values()) moved(entry)
    },
  }
}

interface Looks {
  start(): void
  stop(): void
}

/** Queries the journal after writes, and reports which runs have more; undefined: any may. */
function createLooks(
  journal: Host['journal'],
  againMs: number,
  tell: (subjects: readonly Subject[] | undefined) => void,
): Looks {
  let unwatch: (() => void) | undefined
  let again: NodeJS.Timeout | undefined
  let position: number | undefined
  let scheduleChanges = -1
  let isReading = false
  let isStale = false

  async function readOnce(): Promise<void> {
    if (position === undefined) {
      position = await journal.lastPosition()
      return tell(undefined)
    }
    const found = await journal.changedRuns(position)
    position = found.position
    const changes = await journal.schedules.changes()
    const isOther = changes !== scheduleChanges
    scheduleChanges = changes
    if (found.runs.length > 0 || isOther) tell([...found.runs, 'store'])
  }

  /** One query at a time; writes during it cause another. */
  async function readChanges(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    // Commits in the same tick share one query.
    await Promise.resolve()
    while (isStale) {
      isStale = false
      // Readers report a journal that fails or is closed.
      await readOnce().catch(() => tell(undefined))
      // The first change is reported at once; those shortly after it are reported together.
      await sleep(gatherMs)
    }
    isReading = false
  }

  return {
    start() {
      if (unwatch !== undefined) return
      position = undefined
      unwatch = journal.watch('events', () => void readChanges())
      again = setInterval(() => tell(undefined), againMs)
      again.unref()
      void readChanges()
    },
    stop() {
      unwatch?.()
      unwatch = undefined
      clearInterval(again)
    },
  }
}

type Share = <T>(
  key: string,
  version: number,
  work: () => Promise<T>,
  isWhole: (made: T) => boolean,
) => Promise<T>

function createSharing(): Share {
  const shared = createRecentMap<string, Promise<unknown>>(sharedMax)

  return async <T>(
    key: string,
    version: number,
    work: () => Promise<T>,
    isWhole: (made: T) => boolean,
  ) => {
    const atVersion = `${key}@${version}`
    const known = shared.get(key) ?? shared.get(atVersion)
    if (known !== undefined) return known as Promise<T>
    const working = work()
    shared.set(atVersion, working)
    try {
      const made = await working
      if (isWhole(made)) {
        shared.delete(atVersion)
        shared.set(key, working)
      }
      return made
    } catch (error) {
      shared.delete(atVersion)
      throw error
    }
  }
}
