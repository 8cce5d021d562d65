/**
 * One watch of the record for all streams of a daemon, and pages of it that they share.
 *
 * D1. Woken by writes, never by asking for rows in turns: one look says which runs have more, and only
 *     who follows those reads. Whatever was told, all look again now and then: a word that was missed
 *     delays a stream and never halts it.
 * D2. A page is read and written out once for all that are at the same place. A few are kept, whatever
 *     the number of streams.
 */

import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../../host/host.ts'
import type { RunId } from '../../loop/index.ts'

/** What can be followed: one run, or all. */
export type Subject = RunId | 'store'

export interface Feed {
  /** Follows it until the answer is called. */
  follow(subject: Subject): () => void
  /** Grows whenever there may be more. Ask for it before reading, and wait for a higher one. */
  version(subject: Subject): number
  /** Resolves when it is higher, when the signal aborts, and when the feed ends. */
  changed(subject: Subject, version: number, signal: AbortSignal): Promise<void>
  /**
   * Does the work once for all who ask for the same before there is more; what is whole, which nothing
   * that comes can change, once for all who ask for it soon.
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

/** So much is kept of what was sent, at most. */
const sharedMax = 64

const gatherMs = 10

const lookAgainMs = 15_000

const feeds = new WeakMap<object, Feed>()

/** The one of this host. */
export function feedOf(host: Pick<Host, 'journal'>): Feed {
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
  // Of all that is ever followed: what was read for those who are gone is nothing to who comes later.
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

/** Looks at the record when it was written to, and tells which runs have more; undefined: any may. */
function createLooks(
  journal: Host['journal'],
  againMs: number,
  tell: (subjects: readonly Subject[] | undefined) => void,
): Looks {
  let unwatch: (() => void) | undefined
  let again: NodeJS.Timeout | undefined
  let position: number | undefined
  let isLooking = false
  let isStale = false

  async function lookOnce(): Promise<void> {
    if (position === undefined) {
      position = await journal.lastPosition()
      return tell(undefined)
    }
    const found = await journal.changedRuns(position)
    position = found.position
    if (found.runs.length > 0) tell([...found.runs, 'store'])
  }

  /** One look at a time; what is written during it asks for another. */
  async function look(): Promise<void> {
    isStale = true
    if (isLooking) return
    isLooking = true
    // What is committed in the same turn is one look.
    await Promise.resolve()
    while (isStale) {
      isStale = false
      // Where the record fails, or is closed, who reads it hears of it.
      await lookOnce().catch(() => tell(undefined))
      // The first is told at once; what follows on its heels is told together.
      await sleep(gatherMs)
    }
    isLooking = false
  }

  return {
    start() {
      if (unwatch !== undefined) return
      position = undefined
      unwatch = journal.watch('events', () => void look())
      again = setInterval(() => tell(undefined), againMs)
      again.unref()
      void look()
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
  const shared = new Map<string, Promise<unknown>>()

  function keep(key: string, made: Promise<unknown>): void {
    shared.set(key, made)
    const [oldest] = shared.keys()
    if (shared.size > sharedMax && oldest !== undefined) shared.delete(oldest)
  }

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
    keep(atVersion, working)
    try {
      const made = await working
      if (isWhole(made)) {
        shared.delete(atVersion)
        keep(key, working)
      }
      return made
    } catch (error) {
      shared.delete(atVersion)
      throw error
    }
  }
}
