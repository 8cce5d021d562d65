/**
 * What agents and checks said, in the order in which it was recorded. One entry for each event that holds
 * some of it, so that the seq of the event is where a reader goes on.
 */

import { isEnd, type RecordedEvent, type RunId, type StepId } from '../../loop/index.ts'
import type { OutputEntry, Page } from '../../protocol/api/index.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'
import { resultOf, shortened } from './step-result.ts'

export interface OutputRead {
  readonly items: readonly OutputEntry[]
  /** Go on after this; what was asked for where there is nothing yet. */
  readonly afterSeq: number
  /** The run has ended, and this was the last of it. */
  readonly isEnd: boolean
  /** Bytes that the steps of the iteration have said up to here: what the next page begins with. */
  readonly said: Said
}

export type Said = ReadonlyMap<StepId, number>

export interface OutputOptions {
  readonly afterSeq?: number
  /** From the page before. */
  readonly said?: Said
  /** How many events are looked at. */
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
  { afterSeq = 0, said, limit = 100, bytesMax = 64 * 1024 }: OutputOptions = {},
): Promise<OutputRead> {
  const before = new Map(said ?? (await saidBefore(source, run, afterSeq)))
  const events = await source.journal.read(run, { afterSeq, limit, bytesMax, types })
  const items: OutputEntry[] = []
  for (const recorded of events) {
    const entry = await entryOf(source, recorded, before)
    if (entry !== undefined) items.push(entry)
  }
  const last = events.at(-1)
  return {
    items,
    afterSeq: last?.seq ?? afterSeq,
    isEnd: last?.event.type === 'run-ended',
    said: before,
  }
}

/** The same as a page for those who do not follow. */
export async function viewOutput(
  source: RecordSource,
  run: RunId,
  options: PageOptions & { readonly after?: number } = {},
): Promise<Page<OutputEntry>> {
  const { limit = pageLimit, cursor, after = 0 } = options
  const [place = 0] = cursor === undefined ? [after] : fromCursor(cursor, 1)
  const { status } = await source.journal.findRun(run)
  const items: OutputEntry[] = []
  let bytes = 0
  let page: OutputRead | undefined
  do {
    const afterSeq: number = page?.afterSeq ?? place
    const next: OutputRead = await readOutput(source, run, {
      afterSeq,
      limit: limit - items.length,
      ...(page === undefined ? {} : { said: page.said }),
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

/** Counts from the end of the iteration before. */
async function saidBefore(source: RecordSource, run: RunId, seq: number): Promise<Said> {
  const said = new Map<StepId, number>()
  if (seq === 0) return said
  let after = await source.journal.boundaryBefore(run, seq)
  while (after < seq) {
    const range = { afterSeq: after, toSeq: seq, limit: 1000, bytesMax: 4 * 1024 * 1024, types }
    const events = await source.journal.read(run, range)
    for (const recorded of events) await entryOf(source, recorded, said)
    const last = events.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  return said
}

async function entryOf(
  source: RecordSource,
  recorded: RecordedEvent,
  said: Map<StepId, number>,
): Promise<OutputEntry | undefined> {
  const { event, seq, atMs } = recorded
  if (event.type === 'iteration-restarted') said.clear()
  if (event.type === 'iteration-started' && event.again !== true) said.clear()
  if (event.type !== 'step-noted' && event.type !== 'step-finished') return undefined
  const words = await wordsOf(source, event)
  if (words === undefined || words.text === '') return undefined
  const { iteration, step } = event
  const offset = said.get(step) ?? 0
  const { text, isCut } = shortened(words.text, textMax)
  said.set(step, offset + Buffer.byteLength(text))
  const role = event.type === 'step-noted' && event.role !== undefined ? { role: event.role } : {}
  const cut = isCut ? { cut: true as const } : {}
  return { seq, atMs, iteration, step, ...role, source: words.source, offset, text, ...cut }
}

type Words = Pick<OutputEntry, 'source' | 'text'>
type Speaking = Extract<RecordedEvent['event'], { type: 'step-noted' | 'step-finished' }>

async function wordsOf(source: RecordSource, event: Speaking): Promise<Words | undefined> {
  if (event.type === 'step-noted') {
    const { note } = event
    const isSpeech = note.type === 'said' || note.type === 'turn-ended'
    return isSpeech ? { source: 'agent', text: note.text } : undefined
  }
  const result = await resultOf(source, event)
  if (result.check !== undefined) return { source: 'check', text: result.check.output }
  if (result.report !== undefined) return { source: 'report', text: result.report }
  return undefined
}
