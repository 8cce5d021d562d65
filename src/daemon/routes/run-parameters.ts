/** Parameters that many operations have. */

import { LoopError } from '../../loop/index.ts'
import { cursorCharsMax, pageSizeDefault, pageSizeMax } from '../../protocol/api/page-limits.ts'
import { orElse, type Parameter, required, text, whole } from './parameter.ts'

/** In a path. */
export const run: Parameter<string> = required(
  text({
    description: 'A run: its id or name, or an unambiguous prefix of either.',
    example: 'calm-otters-sing',
    max: 256,
  }),
  '',
)

export const inRun: { readonly run: Parameter<string> } = { run }

export const limit: Parameter<number> = orElse(
  whole({ description: 'The maximum number of items.', example: 20, min: 1, max: pageSizeMax }),
  pageSizeDefault,
)

export const cursor: Parameter<string | undefined> = text({
  description: 'The `next` of the previous page.',
  example: '1042',
  max: cursorCharsMax,
  pattern: /^[\w.:-]+$/,
})

export const paged: {
  readonly limit: Parameter<number>
  readonly cursor: Parameter<string | undefined>
} = { limit, cursor }

export const after: Parameter<number | undefined> = whole({
  description: 'Only items after this one.',
  example: 120,
  max: Number.MAX_SAFE_INTEGER,
})

/** A cursor that is a position in a list. */
export function numberIn(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (/^(0|[1-9]\d{0,15})$/.test(given)) return Number(given)
  throw new LoopError(
    'bad-request',
    'query.cursor: it does not belong to this list. Start without a cursor.',
  )
}

/** A page of a list in memory. */
export function pageOf<T>(
  all: readonly T[],
  { limit: size, cursor: from }: { readonly limit: number; readonly cursor: string | undefined },
): { readonly items: readonly T[]; readonly next?: string } {
  const start = numberIn(from) ?? 0
  const items = all.slice(start, start + size)
  const end = start + items.length
  return { items, ...(end < all.length ? { next: String(end) } : {}) }
}
