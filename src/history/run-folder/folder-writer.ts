/**
 * Updates one folder of a run from the journal, and stores its position in the folder.
 *
 * 1. The position is written last: after a kill, the same work is repeated from the same position.
 * 2. If a file was changed, all files are written again from the journal.
 * 3. A full disk stops the writing, and nothing else. The next update continues from the same position.
 */

import { load, type RunRow } from '../../engine/index.ts'
import { isEnd, type Json, type RecordedEvent } from '../../loop/index.ts'
import { makeFolder } from '../../system/index.ts'
import type { FinalReport } from './final-report.ts'
import { finishFolder } from './finish-folder.ts'
import type { FileChange } from './fold-state.ts'
import { createMarker, type Marker, markerFile, readMarker } from './marker.ts'
import { type FolderHost, fileBytesMax, type WrittenFolder } from './options.ts'
import { neededValue, projectEvent } from './project-event.ts'
import { excludeFromGit, pathOf, type RunFolderLocation } from './run-folder-location.ts'
import { openSafeFolder, type SafeFolder } from './safe-folder.ts'

export interface FolderWriter {
  /** `row`: the current state of the run, if it was read before. Never rejects: the result has the problem. */
  update(row?: RunRow): Promise<WrittenFolder>
}

const pageSize = 500
const folderBytesMax = 1024 * 1024 * 1024
const tailLines = 200
const tailBytesMax = 256 * 1024

export function createFolderWriter(
  host: FolderHost,
  run: Pick<RunRow, 'id' | 'name'>,
  place: RunFolderLocation,
  last: FinalReport,
): FolderWriter {
  let known: Marker | undefined
  let isExcluded = place.place === 'global'

  async function catchUpFolder(folder: SafeFolder, row: RunRow): Promise<number> {
    known ??= await readMarker(folder, run.id)
    let marker = known.seq > row.lastSeq ? createMarker(run.id) : known
    for (let rebuilt = marker.seq === 0; ; ) {
      const events = await host.journal.read(run.id, { afterSeq: marker.seq, limit: pageSize })
      if (events.length === 0) break
      const next = await writePage(host, folder, marker, events)
      if (next === undefined) {
        // Only once: if files change again at once, another process writes to them.
        if (rebuilt) throw new Error('another process changes its files')
        rebuilt = true
        marker = createMarker(run.id)
        continue
      }
      marker = next
      known = marker
      await folder.put(markerFile, JSON.stringify(marker))
    }
    if (isEnd(row.status)) {
      known = await finishFolder({ host, folder, run: row, path: pathOf(place), last }, marker)
    }
    return marker.seq
  }

  return {
    async update(knownRow) {
      const at = { place: place.place, path: pathOf(place) }
      let folder: SafeFolder | undefined
      try {
        const row = knownRow ?? (await host.journal.findRun(run.id))
        if (!isExcluded) {
          await excludeFromGit(host, row, place)
          isExcluded = true
        }
        if (place.place === 'global') makeFolder(place.root)
        folder = await openSafeFolder(place.root, place.parts, { make: true })
        return { ...at, seq: folder === undefined ? 0 : await catchUpFolder(folder, row) }
      } catch (error) {
        // The marker is read again next time.
        const seq = known?.seq ?? 0
        known = undefined
        const reason = error instanceof Error ? error.message : String(error)
        return { ...at, seq, problem: `The files in ${at.path} are behind: ${reason}.` }
      } finally {
        await folder?.close().catch(() => undefined)
      }
    },
  }
}

/** Undefined: a file was changed. */
async function writePage(
  host: FolderHost,
  folder: SafeFolder,
  marker: Marker,
  events: readonly RecordedEvent[],
): Promise<Marker | undefined> {
  let { carried } = marker
  const lengths = new Map(Object.entries(marker.lengths))
  const page = createPageWriter(folder, lengths, marker.bytes)
  for (const recorded of events) {
    const step = projectEvent(carried, recorded, await loadValue(host, recorded))
    carried = step.carried
    for (const one of step.changes) await page.add(one)
  }
  const bytes = await page.flush()
  if (bytes === undefined) return undefined
  return {
    ...marker,
    seq: events.at(-1)?.seq ?? marker.seq,
    carried,
    lengths: Object.fromEntries(lengths),
    bytes,
  }
}

async function loadValue(
  { blobs }: FolderHost,
  { event }: RecordedEvent,
): Promise<Json | undefined> {
  // Missing content must not prevent all files.
  return load(neededValue(event), blobs).catch(() => undefined)
}

interface Page {
  add(change: FileChange): Promise<void>
  /** Returns the size of the growing files; undefined: one of them was changed. */
  flush(): Promise<number | undefined>
}

/** Batches the additions to each file. */
function createPageWriter(folder: SafeFolder, lengths: Map<string, number>, before: number): Page {
  const added = new Map<string, string[]>()
  let isIntact = true
  let bytes = before

  async function write(path: string): Promise<void> {
    const texts = added.get(path)
    if (texts === undefined) return
    added.delete(path)
    const offset = lengths.get(path) ?? 0
    const content = bounded(Buffer.from(texts.join('')), offset, bytes)
    if (content.length === 0) return
    isIntact &&= await folder.writeFrom(path, offset, content)
    lengths.set(path, offset + content.length)
    bytes += content.length
  }

  return {
    async add(change) {
      switch (change.type) {
        case 'append': {
          const texts = added.get(change.path) ?? []
          texts.push(change.text)
          added.set(change.path, texts)
          return
        }
        case 'close':
          for (const path of new Set([...lengths.keys(), ...added.keys()])) {
            if (parseIteration(path) >= change.before) continue
            await write(path)
            lengths.delete(path)
          }
          return
        case 'put':
          return folder.put(change.path, bounded(Buffer.from(change.text), 0, bytes))
        case 'tail':
          await write(change.of)
          return folder.put(change.path, await readTail(folder, change.of))
      }
    },
    async flush() {
      for (const path of added.keys()) await write(path)
      return isIntact ? bytes : undefined
    },
  }
}

/** Infinity for files that do not belong to an iteration. */
const parseIteration = (path: string): number =>
  Number(/^iter-(\d+)-/.exec(path)?.[1] ?? Number.POSITIVE_INFINITY)

const cutLine = Buffer.from('\n[the rest was cut: too long]\n')

/** Cuts the content at the limit, with a note. */
function bounded(content: Buffer, offset: number, bytes: number): Buffer {
  const room = Math.min(fileBytesMax - offset, folderBytesMax - bytes)
  if (content.length <= room) return content
  if (room <= cutLine.length) return Buffer.alloc(0)
  return Buffer.concat([content.subarray(0, room - cutLine.length), cutLine])
}

async function readTail(folder: SafeFolder, path: string): Promise<string> {
  const file = await folder.open(path)
  if (file === undefined) return ''
  try {
    const from = Math.max(0, file.stat.size - tailBytesMax)
    const buffer = Buffer.alloc(Math.min(file.stat.size, tailBytesMax))
    const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, from)
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    const last = lines.at(-1) === '' ? tailLines + 1 : tailLines
    return lines.slice(-last).join('\n')
  } finally {
    await file.handle.close()
  }
}
