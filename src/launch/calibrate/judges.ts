/**
 * What judges the work of a loop: its checks, and the agent that checks it, if its type has one. Their digest changes when any
 * of them does, so that a calibration counts only for what was measured.
 */

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { CalibrationReport } from '../../evidence/index.ts'
import { type ErrorRates, toJson } from '../../loop/index.ts'
import type { LoopTypeDefinition } from '../../loops/index.ts'
import { type CheckSettings, canonicalJson } from '../../protocol/index.ts'
import { readSmallFile } from '../../system/index.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { judgeOf } from '../to-loop-type.ts'

/** An agent that judges, as a check of the kind `judge`. */
export interface JudgingAgent {
  readonly name: string
  readonly check: Extract<CheckSettings, { type: 'judge' }>
}

const timeoutMs = 600_000

/** Undefined: only the checks of the loop judge its work. */
export function findJudgingAgent(
  loaded: Pick<LoadedLoop, 'definition'>,
  types?: readonly LoopTypeDefinition[],
): JudgingAgent | undefined {
  const found = judgeOf(loaded, types)
  const agent = found && loaded.definition.file.agents[found.role]
  if (found === undefined || agent === undefined) return undefined
  const { role, prompt } = found
  const isTaken = role in loaded.definition.file.checks
  const options = { timeoutMs, existing: 'ask', outputs: [] } as const
  return {
    name: isTaken ? `${role}-agent` : role,
    check: { type: 'judge', agent, prompt, ...options },
  }
}

/** Identifies what judges the work of a loop. */
export function judgesDigest(
  loaded: Pick<LoadedLoop, 'definition'>,
  types?: readonly LoopTypeDefinition[],
): string {
  const { checks, certify } = loaded.definition.file
  const agent = findJudgingAgent(loaded, types)?.check ?? null
  const text = canonicalJson(toJson({ checks, certify, agent }))
  return createHash('sha256').update(text).digest('hex')
}

interface Rate {
  /** The upper bound of false accepts. */
  readonly high: number
  readonly n: number
  /** The share of correct changes that were rejected. */
  readonly rejected: number
}

export interface StoredJudges {
  readonly version: 1
  readonly loop: string
  readonly judges: string
  /** The agent that judges. Absent: there is none. */
  readonly agent?: Rate
  /** Work passes if all of them accept it. */
  readonly together: Rate
  readonly atMs: number
}

const share = z.number().min(0).max(1)
const rate = z.object({ high: share, n: z.number().int().min(0), rejected: share })

const stored = z.object({
  version: z.literal(1),
  loop: z.string(),
  judges: z.string(),
  agent: rate.exactOptional(),
  together: rate,
  atMs: z.number(),
})

const bytesMax = 16 * 1024

const toPath = (stateFolder: string, loop: string, judges: string): string => {
  const name = createHash('sha256')
    .update(JSON.stringify([loop, judges]))
    .digest('hex')
  return join(stateFolder, 'calibration', `judges-${name.slice(0, 32)}.json`)
}

export async function storeJudges(
  stateFolder: string,
  { judges, agent }: { readonly judges: string; readonly agent: string | undefined },
  { loop, checks, together, atMs }: CalibrationReport,
): Promise<void> {
  const of = ({ falseAccepts: { high, n }, falseRejects }: ErrorRates): Rate => ({
    high,
    n,
    rejected: falseRejects.value,
  })
  const measured = checks.find(({ check }) => check === agent)
  const content: StoredJudges = {
    version: 1,
    loop,
    judges,
    together: of(together),
    atMs,
    ...(measured === undefined ? {} : { agent: of(measured) }),
  }
  const path = toPath(stateFolder, loop, judges)
  const fresh = `${path}.${randomUUID()}`
  await mkdir(join(stateFolder, 'calibration'), { recursive: true, mode: 0o700 })
  try {
    await writeFile(fresh, `${JSON.stringify(content)}\n`, { flag: 'wx', mode: 0o600 })
    await rename(fresh, path)
  } finally {
    await rm(fresh, { force: true })
  }
}

/** Undefined: what judges the loop was never measured as it is. */
export async function readJudges(
  stateFolder: string,
  loop: string,
  judges: string,
): Promise<StoredJudges | undefined> {
  try {
    const text = await readSmallFile(toPath(stateFolder, loop, judges), bytesMax)
    const found = stored.parse(JSON.parse(text))
    return found.loop === loop && found.judges === judges ? found : undefined
  } catch {
    return undefined
  }
}
