/** Drives runs in this process, and knows which. */

import { setMaxListeners } from 'node:events'
import {
  type AnyLoopType,
  type Certifier,
  type DriveEnd,
  driveRun,
  type Lease,
  type Ports,
  type Store,
  streamEvents,
} from '../engine/index.ts'
import {
  defined,
  endedWithoutWork,
  type RecordedEvent,
  type RunId,
  type RunState,
} from '../loop/index.ts'
import { killAbandoned } from '../sandbox/index.ts'
import { createOwnerId } from '../system/index.ts'
import { removeWorktree } from '../workspace/index.ts'
import type { HostPorts } from './host-ports.ts'
import { openWorkspace } from './open-workspace.ts'
import type { PreparedRun, PrepareRun, RunParts } from './options.ts'
import type { RunHandle } from './run-handle.ts'
import type { RunPlace } from './run-place.ts'

interface DriveParts extends RunParts {
  readonly force?: boolean
  readonly keepFiles?: boolean
  /** In the place of our own: what a record has of it. */
  readonly certifier?: Certifier
  /** False: the run repeats a record, which has what preflight found. */
  readonly isAttempt?: boolean
}

export interface Driver {
  /** Resolves when the run is under way; rejects when it cannot be driven here and now. */
  drive(run: RunPlace, loop: AnyLoopType, parts: DriveParts): Promise<RunHandle>
  /** Shuts all of them down in good order. */
  shutDown(): Promise<void>
}

/** `prepareDefault` is for runs whose parts do not say how they are prepared. */
export function createDriver(base: HostPorts, prepareDefault: PrepareRun): Driver {
  const driven = new Set<RunHandle>()
  return {
    async drive(run, loop, parts) {
      const stop = new AbortController()
      const hurry = new AbortController()
      const forward = (): void => stop.abort()
      if (parts.signal?.aborted === true) forward()
      // Any number of runs may share one signal.
      if (parts.signal !== undefined) setMaxListeners(0, parts.signal)
      parts.signal?.addEventListener('abort', forward, { once: true })
      let onStarted: () => void = () => undefined
      const started = new Promise<void>((resolve) => {
        onStarted = resolve
      })
      const { prepare = prepareDefault } = parts
      const prepared = prepare(base, run, parts)
      const ports = portsFor(base, parts, run, prepared)
      const done: Promise<DriveEnd> = driveAfterDead(run.id, loop, ports, {
        owner: createOwnerId(),
        signal: stop.signal,
        hurry: hurry.signal,
        force: parts.force === true,
        keepFiles: parts.keepFiles === true,
        onStarted,
        ...defined({ graceMs: parts.graceMs, sandbox: parts.sandbox, agent: parts.agent }),
      })
        .then((end) => leaveUnused(run, end))
        .finally(async () => {
          parts.signal?.removeEventListener('abort', forward)
          driven.delete(handle)
          await prepared.close()
        })
      // A caller that only reads events hears of a failure there.
      done.catch(() => undefined)
      const handle: RunHandle = {
        id: run.id,
        name: run.name,
        done,
        events: (from) => eventsUntil(base, run.id, done, from?.afterSeq ?? 0),
        shutDown(options) {
          forward()
          if (options?.now === true) hurry.abort()
        },
      }
      driven.add(handle)
      await Promise.race([started, done])
      return handle
    },
    async shutDown() {
      const open = [...driven]
      for (const run of open) run.shutDown()
      await Promise.allSettled(open.map((run) => run.done))
    },
  }
}

/** A worktree that nobody worked in goes again, unless there is something in it. */
async function leaveUnused({ placed }: RunPlace, end: DriveEnd): Promise<DriveEnd> {
  if (placed === undefined || end.type !== 'ended' || !endedWithoutWork(end.outcome)) return end
  const { key, path } = placed.worktree
  // It can still be removed by hand.
  await removeWorktree({ repository: placed.repository, key, path }).catch(() => undefined)
  return end
}

/** Ends when this process no longer drives the run: ended, suspended, or with the error it met. */
async function* eventsUntil(
  { journal }: HostPorts,
  run: RunId,
  done: Promise<DriveEnd>,
  afterSeq: number,
): AsyncGenerator<RecordedEvent> {
  const over = new AbortController()
  const end = (): void => over.abort()
  done.then(end, end)
  let last = afterSeq
  for await (const event of streamEvents(journal, run, { afterSeq, signal: over.signal })) {
    last = event.seq
    yield event
  }
  yield* streamEvents(journal, run, { afterSeq: last, follow: false })
  await done
}

/** Commands of a process that was killed could still write where this run is about to work. */
async function driveAfterDead(...drive: Parameters<typeof driveRun>): Promise<DriveEnd> {
  const [, , ports] = drive
  if (ports.workspace !== undefined) await killAbandoned()
  return driveRun(...drive)
}

function portsFor(
  base: HostPorts,
  parts: DriveParts,
  place: RunPlace,
  prepared: PreparedRun,
): Ports {
  const {
    exclude = [],
    prepare: _prepare,
    skipPreflight: _skipPreflight,
    sandbox: _sandbox,
    agent: _agent,
    signal: _signal,
    graceMs: _graceMs,
    onState,
    ...rest
  } = parts
  // Absent and undefined are not the same to the ports.
  const given = Object.fromEntries(Object.entries(rest).filter(([, part]) => part !== undefined))
  let lease: Lease | undefined
  const journal: Store = {
    ...base.journal,
    async acquire(run, owner) {
      lease = await base.journal.acquire(run, owner)
      return lease
    },
    ...(onState === undefined ? {} : { append: telling(base.journal.append, onState) }),
  }
  const fence = async (): Promise<void> => {
    if (lease !== undefined) await base.journal.renew(lease)
  }
  const workspace = openWorkspace(base, place, { exclude, fence })
  const { preflight, ...others } = prepared.ports
  return {
    ...given,
    ...others,
    ...(parts.isAttempt === false ? {} : defined({ preflight })),
    ...base,
    journal,
    certifier: parts.certifier ?? prepared.ports.certifier,
    ...defined({ workspace }),
  }
}

const telling =
  (append: Store['append'], onState: (state: RunState) => void): Store['append'] =>
  async (lease, unit) => {
    await append(lease, unit)
    onState(unit.state)
  }
