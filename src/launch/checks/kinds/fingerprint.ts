/** A digest that is equal for equal checks. */

import { canonicalJson } from '../../../protocol/index.ts'
import { sha256 } from '../../../system/index.ts'

export const hashSettings = (settings: object): string => sha256(canonicalJson(settings))
