/** The parts of a version 2 certificate that say how much its checks prove. See docs/certificates.md. */

import { z } from 'zod'
import type { CheckStatus, TreeId } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, id, listOf } from '../values.ts'
import { type ChangeClass, changeClasses } from './change-class.ts'

/** Weakest first. */
export const strengthLevels = ['checks-pass', 'work-alone', 'red-to-green'] as const
export type StrengthLevel = (typeof strengthLevels)[number]

export interface Strength {
  readonly level: StrengthLevel
  /** What the loop file requires. */
  readonly required: StrengthLevel
  /** Sentences for a human reader. */
  readonly statements: readonly string[]
}

/** Where a failure was planted in a test: before its last statement, after it, or in an expected value. */
export type PlantedFailure = 'before' | 'after' | 'value'

export interface TestNote {
  readonly id: string
  /** The planted failures that made it fail. */
  readonly ableToFail: readonly PlantedFailure[]
}

/** What the runners of one check reported. */
export interface TestEvidence {
  readonly check: string
  readonly runners: readonly string[]
  /** Failed on the base, and passed on the base plus the work and on the candidate. */
  readonly redToGreen: readonly TestNote[]
  /** Passed on the base and on the candidate. */
  readonly keptGreen: number
  /** Tests that the base does not have. */
  readonly added: number
  /** Of those, the ones that fail without the work. */
  readonly addedRedWithoutWork: number
  readonly skipped: number
  /** Ids of tests for which some planted failure was not noticed, or could not be planted. */
  readonly notShownAbleToFail: readonly string[]
}

/** Evidence for a check whose runner reports no tests. */
export interface CommandEvidence {
  readonly check: string
  /** Files in which failures were planted. Empty: none could be planted. */
  readonly files: readonly string[]
  /** Planted failures that made it fail. */
  readonly ableToFail: readonly PlantedFailure[]
  /** Planted failures that it did not notice. */
  readonly unnoticed: readonly PlantedFailure[]
  /** False: it passes although the code of the work throws at once, so it does not run that code. */
  readonly runsWork: boolean
}

export interface ControlRun {
  readonly name: 'base-plus-work' | 'work-taken-back' | 'other-environment'
  /** Absent: it ran on the certified tree. */
  readonly tree?: TreeId
  readonly checks: readonly { readonly name: string; readonly status: CheckStatus }[]
  /** Whether the result was the expected one. */
  readonly held: boolean
}

export interface ChangeNote {
  readonly path: string
  readonly class: ChangeClass
  /** A person approved this change. */
  readonly approved?: true
}

/** How the files that a check read and wrote were observed. */
export interface ObservedBy {
  readonly reads: 'inotify' | 'none'
  readonly writes: 'overlay' | 'none'
}

/**
 * The files that a check read. The list is text: the sorted paths, each followed by a newline.
 * `digest` is its SHA-256; the list is stored with the outputs under that digest.
 */
export interface ReadFiles {
  readonly count: number
  readonly digest: string
}

/** The parts that version 1 lacks. */
export interface StrengthParts {
  readonly strength?: Strength
  readonly tests?: readonly TestEvidence[]
  /** For checks whose runner reports no tests. */
  readonly commands?: readonly CommandEvidence[]
  readonly controls?: readonly ControlRun[]
  /** Differences from the base, those that needed an approval first; at most `changesMax`. */
  readonly changes?: readonly ChangeNote[]
  /** How many changes `changes` leaves out. */
  readonly changesNotListed?: number
  readonly observed?: ObservedBy
}

/** The most changes that a certificate lists. */
export const changesMax = 10_000
const listMax = 100_000
const text = z.string().max(100_000)
const level = z.enum(strengthLevels)
const status = z.enum(['met', 'not-met', 'error', 'timeout', 'skipped'])

export const readFilesSchema: z.ZodType<ReadFiles> = exactly<ReadFiles>()(
  z.strictObject({ count, digest: z.string().regex(/^[0-9a-f]{64}$/) }),
)

const plantedFailures = listOf(z.enum(['before', 'after', 'value']), 3)

const testEvidenceSchema = exactly<TestEvidence>()(
  z.strictObject({
    check: text.min(1),
    runners: listOf(text, listMax),
    redToGreen: listOf(z.strictObject({ id: text, ableToFail: plantedFailures }), listMax),
    keptGreen: count,
    added: count,
    addedRedWithoutWork: count,
    skipped: count,
    notShownAbleToFail: listOf(text, listMax),
  }),
)

const commandEvidenceSchema = exactly<CommandEvidence>()(
  z.strictObject({
    check: text.min(1),
    files: listOf(text.min(1), listMax),
    ableToFail: plantedFailures,
    unnoticed: plantedFailures,
    runsWork: z.boolean(),
  }),
)

const controlSchema = exactly<ControlRun>()(
  z.strictObject({
    name: z.enum(['base-plus-work', 'work-taken-back', 'other-environment']),
    tree: id<TreeId>().exactOptional(),
    checks: listOf(z.strictObject({ name: text.min(1), status }), changesMax),
    held: z.boolean(),
  }),
)

const changeSchema = exactly<ChangeNote>()(
  z.strictObject({
    path: text.min(1),
    class: z.enum(changeClasses),
    approved: z.literal(true).exactOptional(),
  }),
)

type Shape = {
  readonly [Part in keyof StrengthParts]-?: z.ZodExactOptional<
    z.ZodType<NonNullable<StrengthParts[Part]>>
  >
}

export const strengthShape: Shape = {
  strength: z
    .strictObject({ level, required: level, statements: listOf(text, changesMax) })
    .exactOptional(),
  tests: listOf(testEvidenceSchema, changesMax).exactOptional(),
  commands: listOf(commandEvidenceSchema, changesMax).exactOptional(),
  controls: listOf(controlSchema, 100).exactOptional(),
  changes: listOf(changeSchema, changesMax).exactOptional(),
  changesNotListed: count.exactOptional(),
  observed: z
    .strictObject({ reads: z.enum(['inotify', 'none']), writes: z.enum(['overlay', 'none']) })
    .exactOptional(),
}
