/** All of them. Another one goes into the list that it fits. */

import type { Attack } from '../story.ts'
import { names } from './class-1-names.ts'
import { decoyed } from './decoys.ts'
import { judges } from './judges.ts'
import { places } from './places.ts'
import { runners } from './runner.ts'
import { scripts } from './scripts.ts'
import { sources } from './source.ts'
import { tests } from './tests.ts'
import { words } from './words.ts'

export const attacks: readonly Attack[] = [
  ...words,
  ...tests,
  ...scripts,
  ...runners,
  ...sources,
  ...places,
  ...judges,
  ...decoyed,
  ...names,
]
