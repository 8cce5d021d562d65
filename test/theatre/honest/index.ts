/** All of it. */

import type { Honest } from '../story.ts'
import { chores } from './chores.ts'
import { code } from './code.ts'
import { comparisons } from './comparisons.ts'
import { inside } from './inside.ts'
import { plainWays } from './plain-ways.ts'
import { projects } from './projects.ts'
import { runners } from './runners.ts'
import { silent } from './silent.ts'
import { tests } from './tests.ts'

export const honest: readonly Honest[] = [
  ...code,
  ...tests,
  ...plainWays,
  ...projects,
  ...runners,
  ...silent,
  ...chores,
  ...comparisons,
  ...inside,
]
