/** What loops remember, in memory. Relevance is the number of words that a fact and the text share. */

import {
  findMemoryProblem,
  type Memories,
  type Memory,
  type MemoryScope,
  memorySize,
  searchWords,
  storeErrors,
} from '../../engine/index.ts'
import type { MemoryData } from './memory-data.ts'

export function createMemoryMemories(data: MemoryData): Memories {
  const { now } = data
  const alive = (): readonly Memory[] =>
    data.memories.filter((one) => one.expiresAtMs === undefined || one.expiresAtMs > now())
  const ofScope = (scope: MemoryScope): readonly Memory[] =>
    alive()
      .filter((one) => isIn(one, scope))
      .toReversed()
  return {
    async add(memory, limits) {
      const problem = findMemoryProblem(memory, limits)
      if (problem !== undefined) throw storeErrors.memoryTooLarge(problem)
      data.memories = alive()
      const known = data.memories.find((one) => isIn(one, memory) && one.key === memory.key)
      if (known !== undefined) return structuredClone(known)
      data.lastMemory += 1
      const stored: Memory = structuredClone({ ...memory, id: `m${data.lastMemory}` })
      data.memories = [...data.memories, stored]
      const kept = new Set(withinLimits(ofScope(memory), limits.count, limits.bytes))
      data.memories = data.memories.filter((one) => !isIn(one, memory) || kept.has(one.id))
      return structuredClone(stored)
    },
    newest: async (scope, limit) => structuredClone(ofScope(scope).slice(0, limit)),
    async relevant(scope, text, limit) {
      const wanted = searchWords(text)
      return structuredClone(
        ofScope(scope)
          .map((memory) => ({ memory, shared: countShared(memory, wanted) }))
          .filter(({ shared }) => shared > 0)
          .toSorted((one, other) => other.shared - one.shared)
          .slice(0, limit)
          .map(({ memory }) => memory),
      )
    },
    get: async (id) => structuredClone(alive().find((one) => one.id === id)),
    async list({ loop, repository, words, limit, before }) {
      const wanted = words === undefined ? undefined : searchWords(words)
      return structuredClone(
        alive()
          .filter((one) => loop === undefined || one.loop === loop)
          .filter((one) => repository === undefined || (one.repository ?? '') === repository)
          .filter((one) => wanted === undefined || countShared(one, wanted) > 0)
          .filter((one) => before === undefined || numberOf(one.id) < numberOf(before))
          .toReversed()
          .slice(0, limit),
      )
    },
    async forget(ids) {
      const before = data.memories.length
      data.memories = data.memories.filter(({ id }) => !ids.includes(id))
      return before - data.memories.length
    },
  }
}

const isIn = (memory: MemoryScope, { loop, repository }: MemoryScope): boolean =>
  memory.loop === loop && memory.repository === repository

/** The ids, from the newest on. */
function withinLimits(
  newestFirst: readonly Memory[],
  count: number,
  bytesMax: number,
): readonly string[] {
  let bytes = 0
  return newestFirst
    .filter((memory, index) => {
      bytes += memorySize(memory)
      return index < count && bytes <= bytesMax
    })
    .map(({ id }) => id)
}

function countShared({ text, tags }: Memory, wanted: readonly string[]): number {
  const words = new Set([text, ...tags].flatMap(searchWords))
  return wanted.filter((word) => words.has(word)).length
}

const numberOf = (id: string): number => Number(id.slice(1))
