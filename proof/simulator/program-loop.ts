/** A program as a loop type. */

import type { AnyLoopType } from '#src/engine/index.ts'
import type { Condition } from '#src/loop/index.ts'
import { digest, type Program, type Until } from './program.ts'
import {
  nextProgress,
  type ProgramContext,
  type ProgramProgress,
  type ProgramResult,
  runProgram,
  type Visit,
} from './run-program.ts'

export interface Visits {
  enter(iteration: number, context: ProgramContext): Visit
  violate(reason: string): void
}

export function programLoop(program: Program, visits: Visits): AnyLoopType {
  return {
    name: program.name,
    version: `${digest(program)}`,
    createContext(input: Program['input'], previous: ProgramProgress | undefined): ProgramContext {
      if (isMutable(input) || isMutable(previous)) visits.violate('E3: progress can be changed')
      return { input, previous }
    },
    iterate: (context: ProgramContext, it) =>
      runProgram(program, context, it, visits.enter(it.number, context)),
    extractProgress: (result: ProgramResult, previous: ProgramProgress | undefined) =>
      nextProgress(program.progress, result, previous),
    until: program.until.map(conditionOf),
  }
}

/** Tries what a careless loop would do. */
function isMutable(value: object | undefined): boolean {
  if (value === undefined) return false
  try {
    Object.assign(value, { leaked: true })
    return true
  } catch {
    return 'history' in value && !Object.isFrozen(value.history)
  }
}

export function conditionOf(until: Until): Condition<ProgramProgress, ProgramResult> {
  switch (until.type) {
    case 'divisible':
      return {
        type: 'custom',
        name: `divisible by ${until.by}`,
        met: (progress) => progress.total % until.by === 0,
      }
    case 'any':
    case 'all':
      return { type: until.type, of: until.of.map(conditionOf) }
    default:
      return until
  }
}
