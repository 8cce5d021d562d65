/** The types of what was observed during certification, and of the concerns it raises. */

import type { Evidence, Refusal } from '../../loop/index.ts'
import type { ProgramPlant } from '../planting/index.ts'
import type { ClassifiedChange } from '../scope/index.ts'
import type { BaseResult } from './base-answers.ts'
import type { ComparedTests } from './compare-tests.ts'

import type { CheckRun } from './run-checks.ts'
import type { AbleToFail } from './show-able-to-fail.ts'

export type ProgramFailure = Exclude<ProgramPlant, 'start' | 'restated'>

export interface PlantedCommand {
  /** Files in which failures were planted. Empty: none could be planted. */
  readonly files: readonly string[]
  /** Planted failures that made it fail. */
  readonly noticed: readonly ProgramFailure[]
  /** Planted failures that it did not notice. */
  readonly unnoticed: readonly ProgramFailure[]
  /** False: it passes although the code of the work throws at once. */
  readonly runsWork: boolean
}

/** A concern that a person may be able to approve. */
export interface Concern extends Refusal {
  readonly mayBeApproved: boolean
  /** The output of a check. Long, so a question shows it last, after the diff. */
  readonly printed?: string
}

/** A run of the checks on another tree or in another environment. */
export interface ControlRun {
  readonly name: 'base-plus-work' | 'work-taken-back' | 'other-environment'
  readonly ran: readonly CheckRun[]
  readonly held: boolean
}

export interface Observations {
  /** The checks on the candidate. */
  readonly own: readonly CheckRun[]
  /** Their results before the run, by check. */
  readonly bases: ReadonlyMap<string, BaseResult>
  /** Their results during the iterations. */
  readonly evidence: { readonly [check: string]: Evidence }
  readonly changes?: readonly ClassifiedChange[]
  /** The checks with the work alone. Absent: nothing was changed, or they were not run. */
  readonly alone?: readonly CheckRun[]
  readonly controls?: readonly ControlRun[]
  readonly compared?: ReadonlyMap<string, ComparedTests>
  readonly able?: ReadonlyMap<string, AbleToFail>
  /** For checks whose runner reports no tests. */
  readonly commands?: ReadonlyMap<string, PlantedCommand>
  /** Lines of the work that mention the test runner, its variables or the stack. */
  readonly mentions?: readonly string[]
  /** A command that could check what only judges check now; undefined: there is none. */
  readonly alternativeCommand?: string
  /** Paths that are in scope and not tests. */
  readonly isProduct?: (path: string) => boolean
  /** Paths that are the work. */
  readonly isWork?: (path: string) => boolean
  /** Test files, and folders with tests and without code of the product. */
  readonly isTest?: (path: string) => boolean
  /** Paths that the candidate still has. */
  readonly remains?: (path: string) => boolean
  /** Folders of the base or the candidate. */
  readonly isFolder?: (path: string) => boolean
  /** Paths that a person has already approved (dependencies). */
  readonly approved?: ReadonlySet<string>
}

/** `allowed`: it failed before the run and may fail, according to the loop file or a person. */
export const isAcceptable = ({ result }: CheckRun): boolean =>
  result.status === 'met' || (result.status === 'not-met' && result.allowed === true)

/** Changes besides the work that checks read. */
export const isOutsideWork = ({ class: kind }: ClassifiedChange): boolean =>
  kind === 'other' || kind === 'sealed'

const listedMax = 20

export const list = (lines: readonly string[]): string =>
  [
    ...lines.slice(0, listedMax).map((line) => `- ${line}`),
    ...(lines.length > listedMax ? [`- and ${lines.length - listedMax} more`] : []),
  ].join('\n')

export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
