/**
 * What loops remember: facts that a round of a loop left for the next ones. They belong to a loop in a repository, not to a
 * run: removing a run does not forget them.
 *
 * N1. A key is stored once for each scope, whatever it is stored with again.
 * N2. A scope has limits (E9): the oldest facts are forgotten first.
 * N3. An expired fact is never returned.
 */

/** The facts of a loop. Loops with the same name in other repositories have separate ones. */
export interface MemoryScope {
  readonly loop: string
  /** The folder of the repository, or the folder that the loop works in. */
  readonly repository?: string
}

export interface NewMemory extends MemoryScope {
  /** Identifies the fact, so that storing it again does nothing. */
  readonly key: string
  readonly text: string
  readonly tags: readonly string[]
  /** Where it comes from, such as `loop:daily-triage`. */
  readonly source: string
  readonly atMs: number
  /** Absent: it does not expire. */
  readonly expiresAtMs?: number
}

export interface Memory extends NewMemory {
  /** Never used again. */
  readonly id: string
}

/** Of one scope. */
export interface MemoryLimits {
  readonly count: number
  /** Of text, tags, source and key, as UTF-8. */
  readonly bytes: number
}

export interface MemoryFilter {
  readonly loop?: string
  readonly repository?: string
  /** Contains one of these words. */
  readonly words?: string
  readonly limit: number
  /** The id of the last one of the previous page. */
  readonly before?: string
}

export interface Memories {
  /** N1, N2. Resolves with what is stored now. Rejects with `bad-request` if it is too large. */
  add(memory: NewMemory, limits: MemoryLimits): Promise<Memory>
  /** N3. The newest of a scope, the newest first. */
  newest(scope: MemoryScope, limit: number): Promise<readonly Memory[]>
  /** N3. Those of a scope that share words with a text, the best first. The text is data: it has no operators. */
  relevant(scope: MemoryScope, text: string, limit: number): Promise<readonly Memory[]>
  /** N3. Undefined: there is none, or it expired. */
  get(id: string): Promise<Memory | undefined>
  /** N3. The newest first. */
  list(filter: MemoryFilter): Promise<readonly Memory[]>
  /** Resolves with the number of facts that there were. */
  forget(ids: readonly string[]): Promise<number>
}

/** Of each fact. Stores refuse more. */
export const memoryMax = {
  textBytes: 8192,
  keyBytes: 512,
  sourceBytes: 512,
  tags: 20,
  tagBytes: 128,
} as const

/** The defaults for each scope. */
export const memoryLimits: MemoryLimits = { count: 500, bytes: 262_144 }

const wordsMax = 32
const wordCharsMax = 64

/** What a search looks for: words only, each once, in lower case. */
export function searchWords(text: string): readonly string[] {
  // Linear time, whatever the text is.
  const found =
    text
      .slice(0, 8192)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(found)].map((word) => word.slice(0, wordCharsMax)).slice(0, wordsMax)
}

/** In bytes. */
export const memorySize = ({ key, text, tags, source }: NewMemory): number =>
  [key, text, source, ...tags].reduce((sum, one) => sum + bytesOf(one), 0)

/** Undefined: it is not too large. */
export function findMemoryProblem(memory: NewMemory, limits: MemoryLimits): string | undefined {
  const { key, text, tags, source } = memory
  const tooLong = (
    [
      ['text', text, memoryMax.textBytes],
      ['key', key, memoryMax.keyBytes],
      ['source', source, memoryMax.sourceBytes],
      ...tags.map((tag) => ['tag', tag, memoryMax.tagBytes] as const),
    ] as const
  ).find(([, value, max]) => bytesOf(value) > max)
  if (tooLong !== undefined) return `its ${tooLong[0]} has more than ${tooLong[2]} bytes`
  if (tags.length > memoryMax.tags) return `it has more than ${memoryMax.tags} tags`
  if (memorySize(memory) > limits.bytes) return `it has more than ${limits.bytes} bytes`
  return limits.count < 1 ? 'the loop may have no facts' : undefined
}

const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8')
