/** The built-in loop types. A new one is a folder here, one line below, and one in `loop-type-summaries.ts`. */

import { buildType } from './build/build-type.ts'
import type { LoopTypeDefinition } from './loop-type-definition.ts'
import { plainType } from './plain/plain-type.ts'
import { roundType } from './round/round-type.ts'
import { tuneType } from './tune/tune-type.ts'

export const loopTypes: readonly LoopTypeDefinition[] = [plainType, buildType, roundType, tuneType]
