/**
 * Reads the output of agents and checks in the order in which it was recorded. There is one entry per event,
 * so that a reader can continue after the seq of an event.
 */

import { isEnd, type RecordedEvent, type RunId, type StepId } from '../../loop/index.ts'
import type { OutputEntry, Page } from '../../protocol/api/index.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'
import { loadResult, shorten } from './step-result.ts'

export interface OutputRead {
  readonly items: readonly OutputEntry[]
  /** Continue after this; unchanged if there is nothing new. */
  readonly afterSeq: number
  /** The run has ended, and this was the last entry. */
  readonly isEnd: boolean
  /** Bytes of output so far, by step of the iteration: the input of the next page. */
  readonly offsets: OutputOffsets
}

export type OutputOffsets = ReadonlyMap<StepId, number>

export interface OutputOptions {
  readonly afterSeq?: number
  /** From the previous page. */
  readonly offsets?: OutputOffsets
  /** How many events are read. */
  readonly limit?: number
  readonly bytesMax?: number
}

const textMax = 256 * 1024

const types = [
  'iteration-started',
  'iteration-restarted',
  'step-noted',
  'step-finished',
  'run-ended',
] as const

export async function readOutput(
  source: RecordSource,
  run: RunId,
  { afterSeq = 0, offsets, limit = 100, bytesMax = 64 * 1024 }: OutputOptions = {},
): Promise<OutputRead> {
  const before = new Map(offsets ?? (await countOutputBefore(source, run, afterSeq)))
  const events = await source.journal.read(run, { afterSeq, limit, bytesMax, types })
  const items: OutputEntry[] = []
  for (const recorded of events) {
    const entry = await toEntry(source, recorded, before)
    if (entry !== undefined) items.push(entry)
  }
  const last = events.at(-1)
  return {
    items,
    afterSeq: last?.seq ?? afterSeq,
    isEnd: last?.event.type === 'run-ended',
    offsets: before,
  }
}

/** The same as a page, for clients that do not follow. */
export async function viewOutput(
  source: RecordSource,
  run: RunId,
  options: PageOptions & { readonly after?: number } = {},
): Promise<Page<OutputEntry>> {
  const { limit = pageLimit, cursor, after = 0 } = options
  const [position = 0] = cursor === undefined ? [after] : fromCursor(cursor, 1)
  const { status } = await source.journal.findRun(run)
  const items: OutputEntry[] = []
  let bytes = 0
  let page: OutputRead | undefined
  do {
    const afterSeq: number = page?.afterSeq ?? position
    const next: OutputRead = await readOutput(source, run, {
      afterSeq,
      limit: limit - items.length,
      ...(page === undefined ? {} : { offsets: page.offsets }),
    })
    if (next.afterSeq === afterSeq) return { items }
    page = next
    items.push(...page.items)
    bytes += page.items.reduce((sum, { text }) => sum + text.length, 0)
  } while (items.length < limit && bytes < pageTextMax)
  if (isEnd(status) && page.isEnd) return { items }
  return { items, next: toCursor(page.afterSeq) }
}

const pageTextMax = 1024 * 1024

/** Counts from the end of the previous iteration. */
async function countOutputBefore(
  source: RecordSource,
  run: RunId,
  seq: number,
): Promise<OutputOffsets> {
  const offsets = new Map<StepId, number>()
  if (seq === 0) return offsets
  let after = await source.journal.boundaryBefore(run, seq)
  while (after < seq) {
    const range = { afterSeq: after, toSeq: seq, limit: 1000, bytesMax: 4 * 1024 * 1024, types }
    const events = await source.journal.read(run, range)
    for (const recorded of events) await toEntry(source, recorded, offsets)
    const last = events.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  return offsets
}

async function toEntry(
  source: RecordSource,
  recorded: RecordedEvent,
  offsets: Map<StepId, number>,
): Promise<OutputEntry | undefined> {
  const { event, seq, atMs } = recorded
  if (event.type === 'iteration-restarted') offsets.clear()
  if (event.type === 'iteration-started' && event.again !== true) offsets.clear()
  if (event.type !== 'step-noted' && event.type !== 'step-finished') return undefined
  const output = await readText(source, event)
  if (output === undefined || output.text === '') return undefined
  const { iteration, step } = event
  const offset = offsets.get(step) ?? 0
  const { text, isCut } = shorten(output.text, textMax)
  offsets.set(step, offset + Buffer.byteLength(text))
  const role = event.type === 'step-noted' && event.role !== undefined ? { role: event.role } : {}
  const cut = isCut ? { cut: true as const } : {}
  return { seq, atMs, iteration, step, ...role, source: output.source, offset, text, ...cut }
}

type OutputText = Pick<OutputEntry, 'source' | 'text'>
type OutputEvent = Extract<RecordedEvent['event'], { type: 'step-noted' | 'step-finished' }>

async function readText(source: RecordSource, event: OutputEvent): Promise<OutputText | undefined> {
  if (event.type === 'step-noted') {
    const { note } = event
    const isSpeech = note.type === 'said' || note.type === 'turn-ended'
    return isSpeech ? { source: 'agent', text: note.text } : undefined
  }
  const result = await loadResult(source, event)
  if (result.check !== undefined) return { source: 'check', text: result.check.output }
  if (result.report !== undefined) return { source: 'report', text: result.report }
  return undefined
}
