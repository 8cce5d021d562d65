/**
 * The files of a run for those who ask by name. Names come from anybody, and the folder may be one that an
 * agent works in.
 *
 * 1. Nothing outside of the folder is read: a path has plain parts only, no link is followed, and a file
 *    with a second name, a pipe or a device is none.
 * 2. What is refused is not told from what is not there.
 */

import type { RunRow } from '../../engine/index.ts'
import { isEnd, LoopError } from '../../loop/index.ts'
import { settledBefore } from '../../runs/log-dir.ts'
import { kindOf } from './file-names.ts'
import { isFinished } from './finish-run-folder.ts'
import { type FolderPlace, knownPlaces } from './folder-place.ts'
import { holdFolder } from './held-folder.ts'
import type { Artifact, ArtifactFile, FolderHost } from './options.ts'
import { writeRunFolder } from './write-run-folder.ts'

/** Nothing that is made here is longer. */
const bytesMax = 64 * 1024 * 1024
const pathCharsMax = 512
const partsMax = 4

/** The files that a run leaves. */
export async function listArtifacts(
  host: FolderHost,
  idOrName: string,
): Promise<readonly Artifact[]> {
  const run = await host.journal.findRun(idOrName)
  await catchUp(host, run)
  for (const place of await knownPlaces(host, run)) {
    const files = await listIn(place)
    if (files !== undefined) return files
  }
  return []
}

/** Rejects with `unknown-artifact` for all that is not a plain file of the run's folder. */
export async function readArtifact(
  host: FolderHost,
  idOrName: string,
  path: string,
): Promise<ArtifactFile> {
  const run = await host.journal.findRun(idOrName)
  if (isPath(path)) await catchUp(host, run)
  const places = isPath(path) ? await knownPlaces(host, run) : []
  for (const place of places) {
    const file = await readIn(place, path)
    if (file !== undefined) return file
  }
  const shown = JSON.stringify(path.slice(0, 200))
  const message = `Run "${run.name}" has no file ${shown}. See which it has: loopctl inspect ${run.name}`
  throw new LoopError('unknown-artifact', message)
}

/** Whoever drove it may have been killed between its end and its last files. */
async function catchUp(host: FolderHost, run: RunRow): Promise<void> {
  if (!isEnd(run.status) || run.held) return
  // Files that nobody ever wanted are not made because somebody asks for them.
  const [place] = (await settledBefore(host.journal, run.id)) ? await knownPlaces(host, run) : []
  if (place === undefined || (await isFinished(place, run.id))) return
  await writeRunFolder(host, run.id).catch(() => undefined)
}

/** Names as they are made here. Whatever else somebody asks for is not looked for. */
const isPath = (path: string): boolean =>
  path.length <= pathCharsMax &&
  path.split('/').length <= partsMax &&
  path.split('/').every((part) => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/.test(part))

async function listIn({ root, parts }: FolderPlace): Promise<readonly Artifact[] | undefined> {
  const folder = await holdFolder(root, parts, { make: false })
  if (folder === undefined) return undefined
  try {
    const files = await folder.list()
    return files
      .filter(({ path, stat }) => isPath(path) && stat.size <= bytesMax)
      .map(({ path, stat }) => ({
        path,
        kind: kindOf(path),
        bytes: stat.size,
        modifiedAtMs: Math.round(stat.mtimeMs),
      }))
  } finally {
    await folder.close()
  }
}

async function readIn(
  { root, parts }: FolderPlace,
  path: string,
): Promise<ArtifactFile | undefined> {
  const folder = await holdFolder(root, parts, { make: false })
  try {
    const file = await folder?.open(path)
    if (file === undefined) return undefined
    const { handle, stat } = file
    if (stat.size > bytesMax) {
      await handle.close()
      return undefined
    }
    return {
      path,
      kind: kindOf(path),
      bytes: stat.size,
      modifiedAtMs: Math.round(stat.mtimeMs),
      mediaType: mediaTypeOf(path),
      // No more than was announced, however it grows meanwhile.
      content: handle.createReadStream({ start: 0, end: Math.max(0, stat.size - 1) }),
    }
  } finally {
    await folder?.close()
  }
}

/** Never anything that a browser would run. */
function mediaTypeOf(path: string): string {
  if (path.endsWith('.json')) return 'application/json'
  if (path.endsWith('.tsv')) return 'text/tab-separated-values; charset=utf-8'
  if (path.endsWith('.md')) return 'text/markdown; charset=utf-8'
  return 'text/plain; charset=utf-8'
}
