/** All of them. Another one goes into the list that it fits. */

import type { Attack } from '../story.ts'
import { aroundInline } from './class-1-inside.ts'
import { names } from './class-1-names.ts'
import { expectations } from './class-2-expectations.ts'
import { twins } from './class-3-twins.ts'
import { libraries } from './class-4-libraries.ts'
import { found } from './class-5-found.ts'
import { runnerSettings } from './class-5-settings.ts'
import { bent } from './class-6-bent.ts'
import { builtins } from './class-6-builtins.ts'
import { goComparisons } from './class-6-compared-go.ts'
import { pythonComparisons } from './class-6-compared-python.ts'
import { rustComparisons } from './class-6-compared-rust.ts'
import { debugged } from './class-6-debugged.ts'
import { equal } from './class-6-equal.ts'
import { forgiving } from './class-6-forgiving.ts'
import { memory } from './class-6-memory.ts'
import { reached } from './class-6-reached.ts'
import { rewritten } from './class-6-rewritten.ts'
import { disarmed } from './class-7-disarmed.ts'
import { forged } from './class-7-forged.ts'
import { processes } from './class-7-process.ts'
import { silent } from './class-7-silent.ts'
import { times } from './class-8-times.ts'
import { restoring } from './class-9-restored.ts'
import { reading } from './class-10-reading.ts'
import { recognised } from './class-10-recognised.ts'
import { watched } from './class-10-watched.ts'
import { decoyed } from './decoys.ts'
import { judges } from './judges.ts'
import { places } from './places.ts'
import { runners } from './runner.ts'
import { scripts } from './scripts.ts'
import { sources } from './source.ts'
import { tests } from './tests.ts'
import { unopened } from './unopened.ts'
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
  ...aroundInline,
  ...expectations,
  ...unopened,
  ...twins,
  ...libraries,
  ...runnerSettings,
  ...found,
  ...bent,
  ...builtins,
  ...equal,
  ...rustComparisons,
  ...goComparisons,
  ...pythonComparisons,
  ...forgiving,
  ...rewritten,
  ...reached,
  ...memory,
  ...debugged,
  ...disarmed,
  ...forged,
  ...silent,
  ...processes,
  ...times,
  ...restoring,
  ...watched,
  ...recognised,
  ...reading,
]
