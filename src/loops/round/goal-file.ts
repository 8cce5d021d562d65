/**
 * A goal file: what a loop works towards over many rounds, as data. It is read when the run is created, validated, and quoted to
 * the maker. Its commands are shown and never run: what decides is listed under `checks`.
 */

import { z } from 'zod'
import { type Json, LoopError } from '../../loop/index.ts'
import { quoteAsData } from '../../protocol/index.ts'
import type { CapturedFile } from '../loop-type-definition.ts'

const format = 'harness.goal.v1'
const charsMax = 20_000

const line = z.string().trim().min(1).max(2000)
const lines = z.array(line).max(100).default([])

const goalSchema = z.strictObject({
  schema: z.literal(format),
  id: line,
  objective: line,
  /** Paths of files that explain it. */
  context: lines,
  posture: line.optional(),
  invariants: lines,
  phases: z
    .array(z.strictObject({ name: line, status: z.enum(['pending', 'running', 'done', 'failed']) }))
    .max(100)
    .default([]),
  verify: lines,
})

/** The input that has it, by this name. */
export const goalInput = 'goalFile'

export async function captureGoal(
  path: string | undefined,
  input: { readonly [name: string]: Json },
  read: (path: string) => Promise<CapturedFile | undefined>,
): Promise<{ readonly [name: string]: Json }> {
  const given = input[goalInput]
  const wanted = typeof given === 'string' ? given : path
  if (wanted === undefined) return input
  const file = await read(wanted)
  if (file === undefined) throw problem(wanted, 'it does not exist')
  return { ...input, [goalInput]: { path: file.path, text: checkGoal(file) } }
}

/** Its text, in one form. Throws `bad-request` for what the user has to change. */
function checkGoal({ path, text }: CapturedFile): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw problem(path, `it is not JSON: ${error instanceof Error ? error.message : ''}`)
  }
  const { success, data, error } = goalSchema.safeParse(value)
  if (!success) {
    const [issue] = error.issues
    throw problem(path, `${issue?.path.join('.') || 'it'}: ${issue?.message}`)
  }
  const written = JSON.stringify(data, undefined, 2)
  if (written.length > charsMax) throw problem(path, `it is longer than ${charsMax} characters`)
  return written
}

const problem = (path: string, reason: string): LoopError =>
  new LoopError(
    'bad-request',
    `The goal file ${path.slice(0, 500)} cannot be used: ${reason}. It is JSON with the schema ${format}: id, objective, context, posture, invariants, phases, verify.`,
  )

/** The section of the prompt. Empty: there is no goal file. */
export function renderGoal(input: { readonly [name: string]: Json }): string {
  const goal = input[goalInput]
  const isFile = typeof goal === 'object' && goal !== null && 'text' in goal
  if (!isFile || typeof goal['text'] !== 'string') return ''
  return [
    'Data that the owner of the loop wrote: what the rounds work towards. Keep its invariants. Its commands under "verify" are',
    'not run for you.',
    '',
    quoteAsData(goal['text'], 'json'),
  ].join('\n')
}
