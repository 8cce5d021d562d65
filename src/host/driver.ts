/** Drives runs in this process, and knows which. */

import { isAbsolute, relative } from 'node:path'
import {
  type AnyLoopType,
  type Clock,
  type DriveEnd,
  driveRun,
  type Ports,
  type RunRow,
  streamEvents,
} from '../engine/index.ts'
import { type BlobStore, createOwner, type SqliteJournal } from '../journal/index.ts'
import { killAbandoned } from '../sandbox/index.ts'
import { createDirectoryWorkspace } from '../workspace/index.ts'
import type { RunParts } from './options.ts'
import type { RunHandle } from './run-handle.ts'

/** What every run of a host shares. */
export interface HostPorts {
  readonly folder: string
  readonly journal: SqliteJournal
  readonly blobs: BlobStore
  readonly clock: Clock
}

export interface Driver {
  drive(
    run: Pick<RunRow, 'id' | 'name'>,
    loop: AnyLoopType,
    parts: RunParts & { readonly force?: boolean },
    workspace: string | undefined,
  ): RunHandle
  /** Shuts all of them down in good order. */
  shutDown(): Promise<void>
}

export function createDriver(base: HostPorts): Driver {
  const driven = new Set<RunHandle>()
  return {
    drive(run, loop, parts, workspace) {
      const stop = new AbortController()
      const forward = (): void => stop.abort()
      if (parts.signal?.aborted === true) forward()
      parts.signal?.addEventListener('abort', forward, { once: true })
      const ports = portsFor(base, parts, workspace)
      const done: Promise<DriveEnd> = driveAfterDead(run.id, loop, ports, {
        owner: createOwner(),
        signal: stop.signal,
        force: parts.force === true,
        ...(parts.graceMs === undefined ? {} : { graceMs: parts.graceMs }),
      }).finally(() => {
        parts.signal?.removeEventListener('abort', forward)
        driven.delete(handle)
      })
      // A caller that only reads events still hears of a failure when it looks at `done`.
      done.catch(() => undefined)
      const handle: RunHandle = {
        id: run.id,
        name: run.name,
        done,
        events: (from) => streamEvents(base.journal, run.id, from),
        shutDown: forward,
      }
      driven.add(handle)
      return handle
    },
    async shutDown() {
      const open = [...driven]
      for (const run of open) run.shutDown()
      await Promise.allSettled(open.map((run) => run.done))
    },
  }
}

/** Commands of a process that was killed could still write where this run is about to work. */
async function driveAfterDead(...drive: Parameters<typeof driveRun>): Promise<DriveEnd> {
  await killAbandoned()
  return driveRun(...drive)
}

function portsFor(base: HostPorts, parts: RunParts, workspace: string | undefined): Ports {
  const { exclude, signal: _signal, graceMs: _graceMs, ...rest } = parts
  // Absent and undefined are not the same to the ports.
  const given = Object.fromEntries(Object.entries(rest).filter(([, part]) => part !== undefined))
  if (workspace === undefined) return { ...given, ...base }
  const place = {
    path: workspace,
    blobs: base.blobs,
    exclude: [...(exclude ?? ['.git']), ...recordInside(workspace, base.folder)],
  }
  return { ...given, ...base, workspace: createDirectoryWorkspace(place) }
}

/** The record is no part of the tree that it is about. */
function recordInside(workspace: string, folder: string): readonly string[] {
  const path = relative(workspace, folder)
  return path === '' || path.startsWith('..') || isAbsolute(path) ? [] : [path]
}
