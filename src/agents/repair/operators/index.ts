/** All operators. Their order is part of the order of the search, so new ones go to the end. */

import { binaryOperators } from './binary.ts'
import { callOperators } from './calls.ts'
import { conditionOperators } from './conditions.ts'
import type { Operator } from './operator.ts'
import { regexOperators } from './regexes.ts'
import { statementOperators } from './statements.ts'
import { unaryOperators } from './unary.ts'

export type { Operator } from './operator.ts'
export { createPools } from './pools.ts'

export const operators: readonly Operator[] = [
  ...binaryOperators,
  ...unaryOperators,
  ...conditionOperators,
  ...callOperators,
  ...regexOperators,
  ...statementOperators,
]
