/**
 * Brings one folder of a run up to date with its record, and remembers in the folder how far it is.
 *
 * 1. What is remembered is written last: whoever is killed before does the same again, from the same place.
 * 2. A file that is not as it was left is made anew, with all others, from the record.
 * 3. A disk that is full stops the writing, and nothing else. The next time goes on where it was.
 */

import { load, type RunRow } from '../../engine/index.ts'
import { isEnd, type Json, type RecordedEvent } from '../../loop/index.ts'
import { makeFolder } from '../../system/index.ts'
import type { FileChange } from './carried.ts'
import { finishFolder } from './finish-folder.ts'
import { type FolderPlace, keepOutOfGit, pathOf } from './folder-place.ts'
import { type HeldFolder, holdFolder } from './held-folder.ts'
import type { LastLook } from './last-look.ts'
import { type Marker, markerFile, nothingWritten, readMarker } from './marker.ts'
import { type FolderHost, fileBytesMax, type WrittenFolder } from './options.ts'
import { projectEvent, wantsResult } from './project-event.ts'

export interface FolderWriter {
  /** `row`: the run as it is now, if it was read before. Never rejects: the result has the problem. */
  update(row?: RunRow): Promise<WrittenFolder>
}

const pageSize = 500
const folderBytesMax = 1024 * 1024 * 1024
const tailLines = 200
const tailBytesMax = 256 * 1024

export function createFolderWriter(
  host: FolderHost,
  run: Pick<RunRow, 'id' | 'name'>,
  place: FolderPlace,
  last: LastLook,
): FolderWriter {
  let known: Marker | undefined
  let isKeptOut = place.place === 'global'

  async function bringUp(folder: HeldFolder, row: RunRow): Promise<number> {
    known ??= await readMarker(folder, run.id)
    let marker = known.seq > row.lastSeq ? nothingWritten(run.id) : known
    for (let rebuilt = marker.seq === 0; ; ) {
      const events = await host.journal.read(run.id, { afterSeq: marker.seq, limit: pageSize })
      if (events.length === 0) break
      const next = await writePage(host, folder, marker, events)
      if (next === undefined) {
        // Once: what is not as it was left a moment ago is somebody else's doing.
        if (rebuilt) throw new Error('files of it change while they are written')
        rebuilt = true
        marker = nothingWritten(run.id)
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
    async update(given) {
      const at = { place: place.place, path: pathOf(place) }
      let folder: HeldFolder | undefined
      try {
        const row = given ?? (await host.journal.findRun(run.id))
        if (!isKeptOut) {
          await keepOutOfGit(host, row, place)
          isKeptOut = true
        }
        if (place.place === 'global') makeFolder(place.root)
        folder = await holdFolder(place.root, place.parts, { make: true })
        return { ...at, seq: folder === undefined ? 0 : await bringUp(folder, row) }
      } catch (error) {
        // What is in the folder is looked at anew.
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

/** Undefined: a file is not as it was left. */
async function writePage(
  host: FolderHost,
  folder: HeldFolder,
  marker: Marker,
  events: readonly RecordedEvent[],
): Promise<Marker | undefined> {
  let { carried } = marker
  const lengths = new Map(Object.entries(marker.lengths))
  const page = createPage(folder, lengths, marker.bytes)
  for (const recorded of events) {
    const step = projectEvent(carried, recorded, await resultOf(host, recorded))
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

async function resultOf(
  { blobs }: FolderHost,
  { event }: RecordedEvent,
): Promise<Json | undefined> {
  if (event.type !== 'step-finished' || !wantsResult(event)) return undefined
  // Content that is gone is no reason to have no files at all.
  return load(event.result, blobs).catch(() => undefined)
}

interface Page {
  add(change: FileChange): Promise<void>
  /** How much there is of files that grow; undefined: one of them is not as it was left. */
  flush(): Promise<number | undefined>
}

/** What is added to one file is written at once. */
function createPage(folder: HeldFolder, lengths: Map<string, number>, before: number): Page {
  const added = new Map<string, string[]>()
  let isWhole = true
  let bytes = before

  async function write(path: string): Promise<void> {
    const texts = added.get(path)
    if (texts === undefined) return
    added.delete(path)
    const offset = lengths.get(path) ?? 0
    const content = bounded(Buffer.from(texts.join('')), offset, bytes)
    if (content.length === 0) return
    isWhole &&= await folder.writeFrom(path, offset, content)
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
            if (iterationOf(path) >= change.before) continue
            await write(path)
            lengths.delete(path)
          }
          return
        case 'put':
          return folder.put(change.path, bounded(Buffer.from(change.text), 0, bytes))
        case 'tail':
          await write(change.of)
          return folder.put(change.path, await tailOf(folder, change.of))
      }
    },
    async flush() {
      for (const path of added.keys()) await write(path)
      return isWhole ? bytes : undefined
    },
  }
}

/** Endless for those that are of no iteration. */
const iterationOf = (path: string): number =>
  Number(/^iter-(\d+)-/.exec(path)?.[1] ?? Number.POSITIVE_INFINITY)

const cutLine = Buffer.from('\n[the rest is not kept here: too long]\n')

/** As much as there is room for, and a word where the rest would be. */
function bounded(content: Buffer, offset: number, bytes: number): Buffer {
  const room = Math.min(fileBytesMax - offset, folderBytesMax - bytes)
  if (content.length <= room) return content
  if (room <= cutLine.length) return Buffer.alloc(0)
  return Buffer.concat([content.subarray(0, room - cutLine.length), cutLine])
}

async function tailOf(folder: HeldFolder, path: string): Promise<string> {
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
