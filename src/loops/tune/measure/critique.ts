/**
 * What judges print: JSON with `pass`, or with `score` from 0 to 1, and with reasons in any of the usual forms. Anything else is
 * no verdict, and no verdict never counts for or against a case. Pure.
 */

import { z } from 'zod'
import { plainOutput } from '../../../loop/index.ts'

export interface Critique {
  readonly score: number
  readonly pass: boolean
  /** Empty: it gave no reasons. */
  readonly text: string
}

export type ParsedCritique =
  | { readonly type: 'critique'; readonly critique: Critique }
  | { readonly type: 'unreadable'; readonly reason: string }

const textCharsMax = 2000
const issuesMax = 50

const issueSchema = z.union([
  z.string(),
  z.looseObject({
    message: z.string(),
    severity: z.string().optional(),
  }),
])

const schema = z.looseObject({
  pass: z.boolean().optional(),
  score: z.number().min(0).max(1).optional(),
  critique: z.string().optional(),
  summary: z.string().optional(),
  message: z.string().optional(),
  issues: z.array(issueSchema).optional(),
})

export function parseCritique(stdout: string): ParsedCritique {
  const text = stdout.trim()
  if (text === '') return unreadable('it printed nothing')
  const value = parseJson(text) ?? parseJson(text.slice(text.lastIndexOf('\n') + 1))
  if (value === undefined) {
    return unreadable(`it printed no JSON: ${JSON.stringify(plainOutput(text).slice(-200))}`)
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return unreadable(`${issue?.path.join('.') || 'its JSON'}: ${issue?.message ?? 'wrong'}`)
  }
  const { pass, score } = parsed.data
  if (pass === undefined && score === undefined) {
    return unreadable('its JSON has neither "pass" (true or false) nor "score" (0 to 1)')
  }
  return {
    type: 'critique',
    critique: {
      score: score ?? (pass === true ? 1 : 0),
      pass: pass ?? score === 1,
      text: describe(parsed.data),
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describe({ critique, summary, message, issues = [] }: z.infer<typeof schema>): string {
  const listed = issues.slice(0, issuesMax).map((issue) => {
    if (typeof issue === 'string') return `- ${issue}`
    return `- ${issue.severity === undefined ? '' : `${issue.severity}: `}${issue.message}`
  })
  const text = [critique, summary, message, ...listed].filter((one) => one !== undefined).join('\n')
  return plainOutput(text).slice(0, textCharsMax)
}

/** A case passes if all of its judges say so; its score is the lowest. */
export function mergeCritiques(critiques: readonly Critique[]): Critique {
  return {
    score: Math.min(...critiques.map(({ score }) => score)),
    pass: critiques.every(({ pass }) => pass),
    text: critiques
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n')
      .slice(0, textCharsMax),
  }
}

const unreadable = (reason: string): ParsedCritique => ({ type: 'unreadable', reason })
