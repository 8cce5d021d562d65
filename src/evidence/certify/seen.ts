/** What was observed while work is certified, and what may speak against it: the types of `concerns.ts`. */

import type { Evidence, Refusal } from '../../loop/index.ts'
import type { ClassifiedChange } from '../scope/index.ts'
import type { BaseAnswer } from './base-answers.ts'
import type { ComparedTests } from './compare-tests.ts'
import type { PlantedCommand } from './plant-in-commands.ts'
import type { Ran } from './run-checks.ts'
import type { AbleToFail } from './show-able-to-fail.ts'

/** A concern that a person may set aside. */
export interface Concern extends Refusal {
  readonly mayBeApproved: boolean
  /** What a check printed, which is long and comes last: in a question behind the diff. */
  readonly printed?: string
}

/** A run of the checks on another tree or in another environment. */
export interface ControlRun {
  readonly name: 'base-plus-work' | 'work-taken-back' | 'other-environment'
  readonly ran: readonly Ran[]
  readonly held: boolean
}

export interface Seen {
  /** The checks on the candidate. */
  readonly own: readonly Ran[]
  /** What they answered before the run began, by check. */
  readonly bases: ReadonlyMap<string, BaseAnswer>
  /** What the checks answered during the iterations. */
  readonly evidence: { readonly [check: string]: Evidence }
  readonly changes?: readonly ClassifiedChange[]
  /** Of the work alone; absent: nothing was changed, or it was not tried. */
  readonly alone?: readonly Ran[]
  readonly controls?: readonly ControlRun[]
  readonly compared?: ReadonlyMap<string, ComparedTests>
  readonly able?: ReadonlyMap<string, AbleToFail>
  /** Of checks whose runner reports no tests. */
  readonly commands?: ReadonlyMap<string, PlantedCommand>
  /** Lines of the work that mention the test runner, its variables or the stack. */
  readonly mentions?: readonly string[]
  /** How a command could check what only judges have; undefined: none could. */
  readonly commandInstead?: string
  /** Paths that are in scope and not tests. */
  readonly isProduct?: (path: string) => boolean
  /** Paths that the candidate still has. */
  readonly remains?: (path: string) => boolean
  /** Folders of the base or the candidate. */
  readonly isFolder?: (path: string) => boolean
  /** A person has approved these paths already (dependencies). */
  readonly approved?: ReadonlySet<string>
}

/** `allowed`: it failed before the run began, and may: by the loop file, or by a person's answer. */
export const isGood = ({ result }: Ran): boolean =>
  result.status === 'met' || (result.status === 'not-met' && result.allowed === true)

/** What was changed besides the work, which checks read. */
export const isAside = ({ class: kind }: ClassifiedChange): boolean =>
  kind === 'other' || kind === 'sealed'

const listedMax = 20

export const list = (lines: readonly string[]): string =>
  [
    ...lines.slice(0, listedMax).map((line) => `- ${line}`),
    ...(lines.length > listedMax ? [`- and ${lines.length - listedMax} more`] : []),
  ].join('\n')

export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
