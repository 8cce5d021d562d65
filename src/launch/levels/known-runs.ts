/**
 * What earlier looks at the runs of a loop found, so that the next one reads only new runs and new commits. Kept in a file
 * of the state folder; without it, or after anything that is not certain, everything is read again.
 *
 * 1. A run is known only as it was: with the seq of its last event, and only if it has ended.
 * 2. `stands` is written after all actions of a run were found to stand on `heads`, which were read before that.
 * 3. The file is replaced as a whole. A process that is killed, or another one that writes it, costs only time.
 */

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { RunRow } from '../../engine/index.ts'
import { isEnd } from '../../loop/index.ts'
import { readSmallFile } from '../../system/index.ts'
import type { Heads } from '../../workspace/index.ts'

/** An action that was performed. */
export interface KnownAction {
  readonly key: string
  readonly kind: string
  readonly atMs: number
  /** Of its receipt. */
  readonly commit?: string
  /** The branch that it names. */
  readonly on?: string
  /** What the commit changed. Absent: unknown, or too much. */
  readonly paths?: readonly string[]
}

export interface KnownWork {
  /** None of them is marked as wrong. */
  readonly actions: readonly KnownAction[]
  /** The commit that the run began on, and the checks that failed there. */
  readonly base?: string
  readonly failing: readonly string[]
}

export interface KnownTrial {
  readonly kind?: string
  readonly isSuccess: boolean
}

interface KnownRun {
  readonly seq: number
  readonly work?: KnownWork
  readonly trials?: readonly KnownTrial[]
  readonly stands?: true
}

interface Content {
  readonly version: 1
  readonly heads: Readonly<Record<string, Heads>>
  readonly runs: Readonly<Record<string, KnownRun>>
}

const texts = z.array(z.string()).readonly()

const action: z.ZodType<KnownAction> = z.object({
  key: z.string(),
  kind: z.string(),
  atMs: z.number(),
  commit: z.string().exactOptional(),
  on: z.string().exactOptional(),
  paths: texts.exactOptional(),
})

const run: z.ZodType<KnownRun> = z.object({
  seq: z.number().int(),
  work: z
    .object({
      actions: z.array(action).readonly(),
      base: z.string().exactOptional(),
      failing: texts,
    })
    .exactOptional(),
  trials: z
    .array(z.object({ kind: z.string().exactOptional(), isSuccess: z.boolean() }))
    .readonly()
    .exactOptional(),
  stands: z.literal(true).exactOptional(),
})

const content: z.ZodType<Content> = z.object({
  version: z.literal(1),
  heads: z.record(z.string(), z.record(z.string(), z.string())),
  runs: z.record(z.string(), run),
})

export interface KnownRuns {
  /** The heads of a repository on which the work of runs `stands`. */
  heads(repository: string): Heads | undefined
  setHeads(repository: string, heads: Heads): void
  /** What is known of the run as it is now. */
  of(row: RunRow): Omit<KnownRun, 'seq'>
  /** Ignored for a run that may go on. */
  learn(row: RunRow, found: Pick<KnownRun, 'work' | 'trials'>): void
  /** All its actions stand on the heads that were set. */
  learnStanding(row: RunRow): void
  /** Of the runs that were asked for. */
  store(): Promise<void>
}

const bytesMax = 16 * 1024 * 1024
const folderName = 'levels'

export interface SearchScope {
  readonly loop?: string
  readonly repository?: string
  readonly runsMax?: number
}

/** Of looks with the same scope. */
export async function readKnownRuns(
  stateFolder: string,
  { loop, repository, runsMax }: SearchScope,
): Promise<KnownRuns> {
  const scope = JSON.stringify([loop ?? null, repository ?? null, runsMax ?? null])
  const name = createHash('sha256').update(scope).digest('hex').slice(0, 32)
  const path = join(stateFolder, folderName, `known-${name}.json`)
  const before = await read(path)
  const heads = new Map<string, Heads>()
  const runs = new Map<string, KnownRun>()
  const standing = new Set<string>()
  const find = (row: RunRow): KnownRun => {
    const known = runs.get(row.id) ?? before?.runs[row.id]
    return known?.seq === row.lastSeq && isEnd(row.status) ? known : { seq: row.lastSeq }
  }
  const keep = (row: RunRow, found: Omit<KnownRun, 'seq'>): void => {
    if (isEnd(row.status)) runs.set(row.id, { ...find(row), ...found })
  }
  return {
    heads: (folder) => before?.heads[folder],
    setHeads: (folder, found) => void heads.set(folder, found),
    of(row) {
      keep(row, {})
      return find(row)
    },
    learn: keep,
    learnStanding: ({ id }) => void standing.add(id),
    async store() {
      const kept = [...runs].map(([id, { stands: _before, ...known }]) => [
        id,
        standing.has(id) ? { ...known, stands: true } : known,
      ])
      const after = { heads: Object.fromEntries(heads), runs: Object.fromEntries(kept) as unknown }
      const text = `${JSON.stringify({ version: 1, ...after })}\n`
      if (text !== before?.text && text.length < bytesMax) await replace(stateFolder, path, text)
    },
  }
}

/** Knows nothing, and keeps nothing. */
export const nothingKnown: KnownRuns = {
  heads: () => undefined,
  setHeads: () => undefined,
  of: () => ({}),
  learn: () => undefined,
  learnStanding: () => undefined,
  store: async () => undefined,
}

async function read(path: string): Promise<(Content & { readonly text: string }) | undefined> {
  try {
    const text = await readSmallFile(path, bytesMax)
    return { ...content.parse(JSON.parse(text)), text }
  } catch {
    return undefined
  }
}

async function replace(stateFolder: string, path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomUUID()}`
  await mkdir(join(stateFolder, folderName), { recursive: true, mode: 0o700 })
  try {
    await writeFile(fresh, text, { flag: 'wx', mode: 0o600 })
    await rename(fresh, path)
  } finally {
    await rm(fresh, { force: true })
  }
}
