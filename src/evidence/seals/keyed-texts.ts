/** Finds the sealed keys that differ between two versions of a file. */

import { differingJsonKeys } from './keyed-json.ts'
import type { KeyedRule } from './keyed-rules.ts'
import { differingStatements } from './keyed-statements.ts'

/** Undefined: one of the two cannot be read by key, so the whole file counts. */
export function differingKeys(
  rule: Pick<KeyedRule, 'format' | 'keys'>,
  before: string | undefined,
  after: string,
): readonly string[] | undefined {
  switch (rule.format) {
    case 'json':
    case 'jsonc':
      return differingJsonKeys(before ?? '{}', after, rule.keys, rule.format === 'jsonc')
    case 'toml':
    case 'ini':
      return differingStatements(before ?? '', after, rule.keys, rule.format)
  }
}
