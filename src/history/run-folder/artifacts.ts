/**
 * Lists and reads the files of a run. Names are untrusted, and the folder may be one in which an agent works.
 *
 * 1. Nothing outside the folder is read: a path has plain parts only, no link is followed, and files with a
 *    second hard link, pipes and devices are ignored.
 * 2. A refused file and a missing file look the same.
 */

import type { RunRow } from '../../engine/index.ts'
import { isEnd, LoopError } from '../../loop/index.ts'
import { readRunFolderSettings } from '../../runs/log-dir.ts'
import { kindOf } from './file-names.ts'
import { isFinished } from './finish-run-folder.ts'
import type { Artifact, ArtifactFile, FolderHost } from './options.ts'
import { listRunFolderLocations, type RunFolderLocation } from './run-folder-location.ts'
import { openSafeFolder } from './safe-folder.ts'
import { writeRunFolder } from './write-run-folder.ts'

/** No file that we write is longer. */
const bytesMax = 64 * 1024 * 1024
const pathCharsMax = 512
const partsMax = 4

/** Lists the files of a run. */
export async function listArtifacts(
  host: FolderHost,
  idOrName: string,
): Promise<readonly Artifact[]> {
  const run = await host.journal.findRun(idOrName)
  await catchUp(host, run)
  for (const place of await listRunFolderLocations(host, run)) {
    const files = await listIn(place)
    if (files !== undefined) return files
  }
  return []
}

/** Rejects with `unknown-artifact` for anything but a plain file of the run folder. */
export async function readArtifact(
  host: FolderHost,
  idOrName: string,
  path: string,
): Promise<ArtifactFile> {
  const run = await host.journal.findRun(idOrName)
  if (isPath(path)) await catchUp(host, run)
  const places = isPath(path) ? await listRunFolderLocations(host, run) : []
  for (const place of places) {
    const file = await readIn(place, path)
    if (file !== undefined) return file
  }
  const shown = JSON.stringify(path.slice(0, 200))
  const message = `Run "${run.name}" has no file ${shown}. List its files: loopctl inspect ${run.name}`
  throw new LoopError('unknown-artifact', message)
}

/** The process that drove it may have been killed before it wrote the last files. */
async function catchUp(host: FolderHost, run: RunRow): Promise<void> {
  if (!isEnd(run.status) || run.held) return
  // A run without a configured folder gets none because of a read.
  const [place] = (await readRunFolderSettings(host.journal, run.id))
    ? await listRunFolderLocations(host, run)
    : []
  if (place === undefined || (await isFinished(place, run.id))) return
  await writeRunFolder(host, run.id).catch(() => undefined)
}

/** Accepts only names that we create. */
const isPath = (path: string): boolean =>
  path.length <= pathCharsMax &&
  path.split('/').length <= partsMax &&
  path.split('/').every((part) => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/.test(part))

async function listIn({
  root,
  parts,
}: RunFolderLocation): Promise<readonly Artifact[] | undefined> {
  const folder = await openSafeFolder(root, parts, { make: false })
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
  { root, parts }: RunFolderLocation,
  path: string,
): Promise<ArtifactFile | undefined> {
  const folder = await openSafeFolder(root, parts, { make: false })
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
      mediaType: chooseMediaType(path),
      // Not more than `bytes`, even if the file grows meanwhile.
      content: handle.createReadStream({ start: 0, end: Math.max(0, stat.size - 1) }),
    }
  } finally {
    await folder?.close()
  }
}

/** Never a type that a browser would execute. */
function chooseMediaType(path: string): string {
  if (path.endsWith('.json')) return 'application/json'
  if (path.endsWith('.tsv')) return 'text/tab-separated-values; charset=utf-8'
  if (path.endsWith('.md')) return 'text/markdown; charset=utf-8'
  return 'text/plain; charset=utf-8'
}
