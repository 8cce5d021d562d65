/** The files that a run began with, from the record: what judges the work is chosen by them. */

import { loadRun, type RunBaseFiles, readCreated } from '../engine/index.ts'
import type { RunId } from '../loop/index.ts'
import { createTreeReader } from '../workspace/tree-reader.ts'
import type { HostPorts } from './host-ports.ts'
import { repositoryOf } from './place-run.ts'
import { type RunPlace } from './run-place.ts'

/** `run`: the one that goes on there, or whose work another goes on with. */
export async function withBegun(
  { journal, blobs, folder }: HostPorts,
  place: RunPlace,
  run: RunId,
): Promise<RunPlace> {
  const [{ state }, { worktree }] = await Promise.all([
    loadRun(journal, run),
    readCreated(journal, run),
  ])
  const { baseTree: tree } = state
  if (tree === undefined) return place
  const repository = worktree === undefined ? undefined : await repositoryOf(worktree)
  const begun = (): RunBaseFiles => ({
    tree,
    reader: createTreeReader({ blobs, folder, repository }),
  })
  return { ...place, begun }
}
