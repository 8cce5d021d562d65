/** What a round proposes, from what its agents said: a summary, and the comment that the maker wrote. */

import { z } from 'zod'
import type { Action, Json } from '../../loop/index.ts'
import { isJsonObject } from '../../protocol/index.ts'
import { cleanText, type GatheredSource, gatheredNumbers } from '../context/gather.ts'
import type { RoundFindings } from './round-session.ts'
import type { RoundSettings } from './round-settings.ts'

const summaryCharsMax = 1000
const commentCharsMax = 20_000

/** Of a proposal: what the checker said, otherwise the maker, otherwise the intent. */
export const summarize = (
  { intent }: Pick<RoundSettings, 'intent'>,
  { checker, maker }: Pick<RoundFindings, 'checker' | 'maker'>,
): string => firstText([checker?.text, maker?.text]) ?? intent

/** What the next round should know: what the maker found. That the checker agreed is in the outcome. */
export const describeFinding = (
  { intent }: Pick<RoundSettings, 'intent'>,
  { checker, maker }: Pick<RoundFindings, 'checker' | 'maker'>,
): string => firstText([maker?.text, checker?.text]) ?? intent

function firstText(said: readonly (string | undefined)[]): string | undefined {
  const found = said.map((text) => withoutBlocks(text ?? '')).find((text) => text !== '')
  return found === undefined ? undefined : cleanText(found, summaryCharsMax).text
}

/** Without verdicts and proposals, which are for programs. */
const withoutBlocks = (text: string): string =>
  text
    .replaceAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n[^]*?\n[ \t]*\1[ \t]*$/gm, '')
    .replace(/^\s*\{[^]*\}\s*$/, '')
    .trim()

const commentSchema = z.strictObject({
  comment: z.strictObject({
    id: z.string(),
    on: z.int().min(1).max(1_000_000_000),
    text: z.string().trim().min(1).max(commentCharsMax),
  }),
})

export interface ProposedComment {
  readonly on: number
  readonly text: string
}

interface WrittenComment extends ProposedComment {
  readonly id: string
}

/**
 * The only block with a comment. Data must not choose where a round speaks, and what it says: a number that was not gathered is
 * refused, and so is a block without the `id` of this prompt, which is unknown to the authors of what the maker may quote.
 */
export function findComment(
  report: string,
  { numbers, id }: { readonly numbers: ReadonlySet<number>; readonly id: string },
): ProposedComment | undefined {
  const blocks = [...report.matchAll(/^[ \t]*```json[ \t]*\n([^]*?)\n[ \t]*```[ \t]*$/gm)]
  const found = blocks.flatMap(([, json = '']) => parseComment(json))
  const [only] = found
  if (found.length !== 1 || only === undefined) return undefined
  const { id: written, ...comment } = only
  return written === id && numbers.has(comment.on) ? comment : undefined
}

function parseComment(json: string): readonly WrittenComment[] {
  try {
    const { data } = commentSchema.safeParse(JSON.parse(json))
    return data === undefined ? [] : [data.comment]
  } catch {
    return []
  }
}

/** Where a comment may be: the issues and pull requests that were gathered from the repository that the comments go to. */
export function commentNumbers(
  { gather = [], propose }: Pick<RoundSettings, 'gather' | 'propose'>,
  gathered: readonly GatheredSource[],
): ReadonlySet<number> {
  const { remote = 'origin' } = (propose?.details ?? {}) as { readonly remote?: unknown }
  return gatheredNumbers(
    gathered.filter((_one, at) => {
      const source = gather[at]
      return source !== undefined && 'remote' in source && source.remote === remote
    }),
  )
}

/** The settings of the action with what the agents wrote. Settings that a person wrote take precedence. */
export function toDetails(
  settings: Json | undefined,
  written: { readonly [name: string]: Json },
): Pick<Action, 'details'> {
  const own = isJsonObject(settings) ? settings : {}
  const all = { ...written, ...own }
  return Object.keys(all).length === 0 ? {} : { details: all }
}
