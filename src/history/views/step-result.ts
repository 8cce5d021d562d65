/** Reads the result of a step by its shape, because loops and agents may return anything. */

import { load } from '../../engine/index.ts'
import {
  type BlobId,
  type Json,
  readStep,
  type StepFinished,
  type StepKind,
  type Stored,
} from '../../loop/index.ts'
import type { StepArtifact } from '../../protocol/api/index.ts'
import type { RecordSource } from './record-source.ts'

export interface StepResult {
  readonly exitCode?: number
  /** The final text of an agent. */
  readonly report?: string
  readonly check?: { readonly output: string; readonly durationMs?: number }
  /** The prompt that a step wrote for an agent. */
  readonly prompt?: string
  /** Names of files. */
  readonly names?: readonly string[]
}

type Finished = Pick<StepFinished, 'step' | 'kind' | 'role' | 'result'>

/** A result in a blob is loaded unless it is larger than this. */
const loadBytesMax = 8 * 1024 * 1024

const readKinds: ReadonlySet<StepKind> = new Set(['agent', 'check', 'command', 'step'])

/** Missing content counts as empty. */
export async function loadResult(
  { blobs }: Pick<RecordSource, 'blobs'>,
  event: Finished,
): Promise<StepResult> {
  const { kind } = readStep(event)
  const { result } = event
  if (result === undefined || !readKinds.has(kind)) return {}
  if ('blob' in result && result.bytes > loadBytesMax) return {}
  const value = await load(result, blobs).catch(() => undefined)
  return readResult(kind, value)
}

/** The whole results of steps, by step. Steps without a result are left out. */
export async function loadStepValues(
  { blobs }: Pick<RecordSource, 'blobs'>,
  steps: readonly { readonly step: string; readonly result?: Stored | undefined }[],
): Promise<ReadonlyMap<string, Json>> {
  const values = new Map<string, Json>()
  for (const { step, result } of steps) {
    const value = await load(result, blobs)
    if (value !== undefined) values.set(step, value)
  }
  return values
}

/** Like `loadResult`, but uses only the event itself. */
export function inlineResult(event: Finished): StepResult {
  const { result } = event
  const value = result !== undefined && 'value' in result ? result.value : undefined
  return readResult(readStep(event).kind, value)
}

function readResult(kind: StepKind, value: Json | undefined): StepResult {
  if (Array.isArray(value)) {
    const names = value.filter((name) => typeof name === 'string')
    return kind === 'step' && names.length === value.length ? { names } : {}
  }
  if (typeof value !== 'object' || value === null) return {}
  const { exitCode, text, output, durationMs, prompt } = value as { [key: string]: Json }
  const code = typeof exitCode === 'number' && Number.isSafeInteger(exitCode) ? { exitCode } : {}
  if (kind === 'agent') return typeof text === 'string' ? { ...code, report: text } : code
  if (kind === 'step') return typeof prompt === 'string' ? { ...code, prompt } : code
  if (kind === 'command') return code
  if (kind !== 'check' || typeof output !== 'string') return code
  const took = typeof durationMs === 'number' ? { durationMs } : {}
  return { ...code, check: { output, ...took } }
}

/** Lists the artifacts of a step: those it stored by name, and its result if that is a blob. */
export function listArtifactsOf(event: Finished, name: string): readonly StepArtifact[] {
  const { result } = event
  if (result === undefined) return []
  if ('blob' in result) return [{ name: 'result', blob: result.blob, bytes: result.bytes }]
  return readStep(event).kind === 'artifact' ? readArtifact(result, name) : []
}

function readArtifact(
  result: Extract<Stored, { value: Json }>,
  name: string,
): readonly StepArtifact[] {
  const { value } = result
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const { blob, bytes } = value as { [key: string]: Json }
  return typeof blob === 'string' && typeof bytes === 'number'
    ? [{ name, blob: blob as BlobId, bytes }]
    : []
}

/** Does not cut in the middle of a character. */
export function shorten(text: string, charsMax: number): { text: string; isCut: boolean } {
  if (text.length <= charsMax) return { text, isCut: false }
  const last = text.charCodeAt(charsMax - 1)
  const isSplit = last >= 0xd800 && last < 0xdc00
  return { text: text.slice(0, isSplit ? charsMax - 1 : charsMax), isCut: true }
}
