/** What is sealed by key in two versions of one file. */

import { compareJsonKeys } from './keyed-json.ts'
import type { KeyedRule } from './keyed-rules.ts'
import { compareStatements } from './keyed-statements.ts'
import type { SealKind } from './sealed-change.ts'

export interface KeyedDifference {
  readonly key: string
  readonly kind: SealKind
  /** As the file has it; absent: it is not there. */
  readonly before?: string
  readonly after?: string
}

export interface KeyedComparison {
  readonly differences: readonly KeyedDifference[]
  /** The second version with the first one's sealed keys. */
  readonly merged: string
}

/** Undefined: one of the two cannot be read by key, so that the whole file counts. */
export function compareKeyed(
  rule: Pick<KeyedRule, 'format' | 'keys'>,
  before: string | undefined,
  after: string,
): KeyedComparison | undefined {
  switch (rule.format) {
    case 'json':
    case 'jsonc':
      return compareJsonKeys(before ?? '{}', after, rule.keys, rule.format === 'jsonc')
    case 'toml':
    case 'ini':
      return compareStatements(before ?? '', after, rule.keys, rule.format)
  }
}
