/**
 * What rounds of a loop remember. Agents wrote it: it is cleaned and cut before it is stored, and again when it is read, since
 * the store could have been written by another program. It never stops a round: a failure is a problem to report.
 */

import { createHash } from 'node:crypto'
import { type Memories, type MemoryScope, memoryLimits, memoryMax } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import { cleanLine, cleanText } from '../../loops/context/gather.ts'
import type { LoopMemory, NewMemory, RecalledMemory } from '../../loops/loop-ports.ts'

/** Of each fact. At most four bytes each, so the store does not refuse it. */
export const memoryCharsMax = 2000
const lineCharsMax = 120
const recalledMax = 50

export interface MemoryOptions {
  readonly memories: Pick<Memories, 'add' | 'newest' | 'relevant'>
  readonly scope: MemoryScope
  readonly now: () => number
}

export function createLoopMemory({ memories, scope, now }: MemoryOptions): LoopMemory {
  return {
    async recall({ limit, query }, signal) {
      const count = Math.max(0, Math.min(limit, recalledMax))
      const newest = await attempt(memories.newest(scope, count), 'read')
      signal.throwIfAborted()
      const relevant =
        query === undefined ? { value: [] } : await findRelevant(memories, scope, query, count)
      signal.throwIfAborted()
      const first = newest.value ?? []
      const ids = new Set(first.map(({ id }) => id))
      const more = (relevant.value ?? []).filter(({ id }) => !ids.has(id)).slice(0, count)
      const found = [...first, ...more].map(
        ({ id, text, source, atMs }): RecalledMemory => ({
          id,
          text: cleanText(text, memoryCharsMax).text,
          source: cleanLine(source, lineCharsMax),
          atMs,
        }),
      )
      return { memories: found, ...defined({ problem: newest.problem ?? relevant.problem }) }
    },
    async record(memory) {
      const text = cleanText(memory.text, memoryCharsMax).text
      if (text === '')
        return { problem: 'The loop cannot remember a text without visible characters.' }
      const stored = toStored(memory, text)
      const { problem } = await attempt(
        memories.add({ ...scope, ...stored, atMs: now() }, memoryLimits),
        'stored',
      )
      return defined({ problem })
    },
  }
}

/** Enough for as many more as were asked for, besides the newest. */
const findRelevant = (
  memories: Pick<Memories, 'relevant'>,
  scope: MemoryScope,
  query: string,
  count: number,
): Promise<Attempt<Awaited<ReturnType<Memories['relevant']>>>> =>
  attempt(memories.relevant(scope, query, 2 * count), 'searched')

const toStored = (
  { key, tags, source, expiresAtMs }: NewMemory,
  text: string,
): Omit<Parameters<Memories['add']>[0], 'atMs' | 'loop' | 'repository'> => ({
  key: key.length <= lineCharsMax ? key : createHash('sha256').update(key).digest('hex'),
  text,
  tags: tags.slice(0, memoryMax.tags).map((tag) => cleanLine(tag, 30)),
  source: cleanLine(source, lineCharsMax),
  ...defined({ expiresAtMs }),
})

interface Attempt<T> {
  readonly value?: T
  readonly problem?: string
}

async function attempt<T>(work: Promise<T>, what: string): Promise<Attempt<T>> {
  try {
    return { value: await work }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { problem: `The memory of the loop cannot be ${what}: ${cleanLine(reason, 500)}` }
  }
}
