/**
 * The workspace of a run: a plain folder, or a git worktree in which each iteration that changed something is a
 * commit on the run's branch.
 *
 * A ref is moved only while the run's lease is held (fencing).
 */

import type { IterationWork, Workspace } from '../engine/index.ts'
import { defined } from '../loop/index.ts'
import { pathInside } from '../system/index.ts'
import {
  createDirectoryWorkspace,
  openWorktree,
  type StatCaches,
  type WorktreeWorkspace,
} from '../workspace/index.ts'
import { createTreeReader } from '../workspace/tree-reader.ts'
import { logDirDefault } from './artifact-mode.ts'
import type { HostPorts } from './host-ports.ts'
import type { RunPlace } from './run-place.ts'

export interface OpenedAs {
  /** What is known about the files of folders. */
  readonly statCaches: StatCaches
  readonly exclude: readonly string[]
  /** Rejects if the lease of the run is lost. */
  readonly fence: () => Promise<void>
}

export function openWorkspace(
  { blobs, folder }: Pick<HostPorts, 'blobs' | 'folder'>,
  { id, name, signedAs = { id, name }, workspace: path, placed, logDir }: RunPlace,
  { statCaches, exclude, fence }: OpenedAs,
): Workspace | undefined {
  if (path === undefined) return undefined
  if (placed === undefined) {
    const excluded = [...exclude, ...recordInside(path, folder), logDir ?? logDirDefault]
    const cache = statCaches.of(path)
    const workspace = createDirectoryWorkspace({ path, blobs, exclude: excluded, cache })
    return withPatch(workspace, { blobs, folder })
  }
  // Opened on first use, since another process may still be working in it before that.
  let opened: Promise<WorktreeWorkspace> | undefined
  const open = (): Promise<WorktreeWorkspace> => {
    opened ??= openWorktree({ ...placed, exclude, beforeRef: fence })
    return opened
  }
  return {
    path,
    exists: async () => (await open()).exists(),
    snapshot: async () => (await open()).snapshot(),
    restore: async (tree) => (await open()).restore(tree),
    changes: async (before, after) => (await open()).changes(before, after),
    patch: async (before, after, bytesMax) => (await open()).patch(before, after, bytesMax),
    readText: async (file) => (await open()).readText(file),
    writeText: async (file, text, options) => (await open()).writeText(file, text, options),
    log: async (max) => (await open()).log(max),
    async keep(work) {
      const worktree = await open()
      const { commit } = await worktree.commit({
        message: messageFor(signedAs.name, work),
        tree: work.tree,
        ...defined({ follows: work.follows }),
        trailers: { 'Loopwright-Run': signedAs.id, 'Loopwright-Iteration': String(work.iteration) },
      })
      return { commit }
    },
  }
}

function withPatch(workspace: Workspace, record: Pick<HostPorts, 'blobs' | 'folder'>): Workspace {
  return {
    ...workspace,
    async patch(before, after, bytesMax) {
      const paths = (await workspace.changes?.(before, after)) ?? []
      const reader = createTreeReader({ ...record, repository: undefined })
      return reader.patch(before, after, paths, bytesMax)
    },
  }
}

/** A state folder inside the workspace is not part of its tree. */
function recordInside(workspace: string, folder: string): readonly string[] {
  const path = pathInside(workspace, folder)
  return path === undefined ? [] : [path]
}

const reportCharsMax = 200

/** The agent's report is cut to one line, so that it cannot forge trailers. */
export function messageFor(
  name: string,
  { iteration, report, isUnfinished }: IterationWork,
): string {
  const subject = `${name}: iteration ${iteration}${isUnfinished === true ? ', unfinished' : ''}`
  const line = firstLine(report ?? '')
  return line === '' ? subject : `${subject}\n\n${line}`
}

function firstLine(report: string): string {
  const [line = ''] = report
    .slice(0, 20_000)
    .split(/[\r\n\u2028\u2029]+/)
    .map((one) =>
      one
        .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
        .replaceAll(/\s+/gu, ' ')
        .trim(),
    )
    .filter((one) => one !== '')
  if (line.length <= reportCharsMax) return line
  // Do not cut a surrogate pair in half.
  return `${line.slice(0, reportCharsMax).replace(/[\uD800-\uDBFF]$/, '')}…`
}
