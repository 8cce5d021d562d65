/** Drives runs in this process, and keeps track of them. */

import { setMaxListeners } from 'node:events'
import {
  type AnyLoopType,
  type Certifier,
  type DriveEnd,
  type Lease,
  type Ports,
  type Store,
  streamEvents,
} from '../engine/index.ts'
import {
  defined,
  endedWithoutWork,
  type Outcome,
  type RecordedEvent,
  type RunId,
  type RunState,
} from '../loop/index.ts'
import { killAbandoned } from '../sandbox/index.ts'
import { createOwnerId } from '../system/index.ts'
import {
  createStatCaches,
  readBranchState,
  removeWorktree,
  type StatCaches,
} from '../workspace/index.ts'
import type { HostPorts } from './host-ports.ts'
import { openWorkspace } from './open-workspace.ts'
import type { PreparedRun, PrepareRun, RunParts } from './options.ts'
import type { RunHandle } from './run-handle.ts'
import type { PlacedWorktree, RunPlace } from './run-place.ts'

interface DriveParts extends RunParts {
  readonly force?: boolean
  readonly keepFiles?: boolean
  /** Replaces the certifier of the run: a replay uses the recorded certificates. */
  readonly certifier?: Certifier
  /** False: a replay, whose recording already contains the preflight. */
  readonly isAttempt?: boolean
}

export interface Driver {
  /** Resolves when the run has started; rejects when it cannot be driven now. */
  drive(run: RunPlace, loop: AnyLoopType, parts: DriveParts): Promise<RunHandle>
  /** Suspends all of them and waits for that. */
  shutDown(): Promise<void>
}

/** `prepareDefault` is for runs whose parts have no `prepare`. */
export function createDriver(base: HostPorts, prepareDefault: PrepareRun): Driver {
  const driven = new Set<RunHandle>()
  const statCaches = createStatCaches()
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
      const ports = portsFor({ base, statCaches }, parts, run, prepared)
      const done: Promise<DriveEnd> = killAbandonedAndDrive(run.id, loop, ports, {
        owner: createOwnerId(),
        signal: stop.signal,
        hurry: hurry.signal,
        force: parts.force === true,
        keepFiles: parts.keepFiles === true,
        onStarted,
        ...defined({ graceMs: parts.graceMs, sandbox: parts.sandbox, agent: parts.agent }),
      })
        .finally(async () => {
          parts.signal?.removeEventListener('abort', forward)
          await prepared.close()
        })
        // Only now does nothing of the run write to its worktree or to what git keeps about it.
        .then((end) => removeUnused(run, end, loop))
        .finally(() => driven.delete(handle))
      // A caller that only reads events gets the error from them.
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

/** Removes the worktree of a run that left nothing in it, and its branch. Anything uncommitted, locked or unmerged is kept. */
async function removeUnused(
  { placed }: RunPlace,
  end: DriveEnd,
  loop: Pick<AnyLoopType, 'keepsWorktree'>,
): Promise<DriveEnd> {
  if (placed === undefined || end.type !== 'ended') return end
  const { repository, worktree } = placed
  const { key, path } = worktree
  try {
    if (endedWithoutWork(end.outcome) || (await isUnchanged(placed, end.outcome, loop))) {
      await removeWorktree({ repository, key, path })
    }
  } catch {
    // The user can still remove it.
  }
  return end
}

/** The worktree of a run that failed may say why. A replay is compared with its run. */
async function isUnchanged(
  { repository, worktree }: PlacedWorktree,
  { type }: Outcome,
  { keepsWorktree }: Pick<AnyLoopType, 'keepsWorktree'>,
): Promise<boolean> {
  if (keepsWorktree !== 'if-changed' || (type !== 'completed' && type !== 'stuck')) return false
  if (worktree.key.startsWith('replay-')) return false
  return (await readBranchState(repository, worktree)).branch === 'empty'
}

/** Ends when this process no longer drives the run, and throws the error if there was one. */
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

/** First kills leftover commands of dead processes, which could still write to the workspace. */
type DriveRun = typeof import('../engine/drive-run.ts')['driveRun']

async function killAbandonedAndDrive(...drive: Parameters<DriveRun>): Promise<DriveEnd> {
  const [, , ports] = drive
  if (ports.workspace !== undefined) await killAbandoned()
  const { driveRun } = await import('../engine/drive-run.ts')
  return driveRun(...drive)
}

interface Shared {
  readonly base: HostPorts
  readonly statCaches: StatCaches
}

function portsFor(
  { base, statCaches }: Shared,
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
  // The ports distinguish absent from undefined.
  const given = Object.fromEntries(Object.entries(rest).filter(([, part]) => part !== undefined))
  let lease: Lease | undefined
  const journal: Store = {
    ...base.journal,
    async acquire(run, owner) {
      lease = await base.journal.acquire(run, owner)
      return lease
    },
    ...(onState === undefined ? {} : { append: withListener(base.journal.append, onState) }),
  }
  const fence = async (): Promise<void> => {
    if (lease !== undefined) await base.journal.renew(lease)
  }
  const workspace = openWorkspace(base, place, { statCaches, exclude, fence })
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

const withListener =
  (append: Store['append'], onState: (state: RunState) => void): Store['append'] =>
  async (lease, unit) => {
    await append(lease, unit)
    onState(unit.state)
  }
