/** The base files of a run, read from the journal. The checks of the run are chosen by them. */

import { loadRun, type RunBaseFiles, readCreated } from '../engine/index.ts'
import type { RunId } from '../loop/index.ts'
import { createTreeReader } from '../workspace/tree-reader.ts'
import type { HostPorts } from './host-ports.ts'
import { repositoryOf } from './place-run.ts'
import { type RunPlace } from './run-place.ts'

/** `run`: the run to resume, or the run that a fork continues. */
export async function withBaseFiles(
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
  const baseFiles = (): RunBaseFiles => ({
    tree,
    reader: createTreeReader({ blobs, folder, repository }),
  })
  return { ...place, baseFiles }
}
