/**
 * What a composer that is an agent answers: JSON, in the form of this file. It is parsed once, here. Anything else is no proposal,
 * and the reason is what the composer is told.
 */

import { z } from 'zod'
import type { Edit } from './option.ts'

const answerCharsMax = 400_000
const editCharsMax = 100_000

export interface Proposal {
  readonly rootCause: string
  readonly options: readonly ProposedOption[]
}

export interface ProposedOption {
  readonly name: string
  readonly summary: string
  /** Empty: it gave none. */
  readonly mechanism: string
  readonly edits: readonly Edit[]
  /** Ids of cases. */
  readonly predicts: readonly string[]
  readonly recommended: boolean
}

const line = (max: number): z.ZodString => z.string().trim().min(1).max(max)

const edit = z.object({
  file: line(500),
  section: z.string().max(500).default(''),
  current: z.string().min(1).max(editCharsMax),
  proposed: z.string().max(editCharsMax),
})

const option = z.object({
  name: line(200),
  summary: line(2000),
  mechanism: z.string().max(4000).default(''),
  edits: z.array(edit).min(1).max(20),
  predicts: z.array(z.string().max(1000)).max(5000).default([]),
  recommended: z.boolean().default(false),
})

const schema: z.ZodType<Proposal> = z.object({
  rootCause: line(8000),
  options: z.array(option).max(20),
})

export type ReadProposal =
  | { readonly type: 'proposal'; readonly proposal: Proposal }
  | { readonly type: 'unreadable'; readonly reason: string }

/** What an answer has to look like, for the prompt. */
export const answerForm = `{
  "rootCause": "why the current texts produce these failures: one cause",
  "options": [
    {
      "name": "short",
      "summary": "one or two sentences",
      "mechanism": "which structural technique this is, and why it changes what happens",
      "edits": [{ "file": "path", "section": "where", "current": "exactly as in the file", "proposed": "what replaces it" }],
      "predicts": ["cases/a.txt"],
      "recommended": true
    }
  ]
}`

export function readProposal(text: string): ReadProposal {
  if (text.length > answerCharsMax) {
    return unreadable(
      `the answer has ${text.length} characters, and ${answerCharsMax} is the limit`,
    )
  }
  const found = findJson(text)
  if (found === undefined) return unreadable('the answer is not one JSON object')
  const parsed = schema.safeParse(found)
  if (parsed.success) return { type: 'proposal', proposal: parsed.data }
  const reasons = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`)
  return unreadable(reasons.join('; '))
}

/** Alone, in one fenced block, or between the first and the last brace. */
function findJson(text: string): unknown {
  const fenced = [...text.matchAll(/^```(?:json)?\s*\n([\s\S]*?)\n```\s*$/gm)]
  const braces = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  const places = [text, ...(fenced.length === 1 ? [fenced[0]?.[1] ?? ''] : []), braces]
  for (const place of places) {
    try {
      return JSON.parse(place)
    } catch {
      // The next place.
    }
  }
  return undefined
}

const unreadable = (reason: string): ReadProposal => ({ type: 'unreadable', reason })
