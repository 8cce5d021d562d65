/** The specification of a step inside the engine, and its description in events. */

import type {
  BlobId,
  Claim,
  DescribedStep,
  Json,
  StepContext,
  StepFinished,
  StepId,
  StepKind,
  StepOptions,
} from '../../loop/index.ts'
import type { Meter } from '../meter.ts'

export interface StepSpec {
  readonly kind: StepKind
  /** Without the kind. */
  readonly name: string
  readonly options: StepOptions
  /**
   * `changes`: may change files; one at a time, trees are recorded. `reads`: must see files
   * unchanged. `nothing`: neither, so it can run in parallel with others.
   */
  readonly files: 'changes' | 'reads' | 'nothing'
  run(context: StepContext, id: StepId, meter: Meter): unknown
  /** Called instead of `run` if an earlier attempt may have happened without leaving a result. */
  recover?(context: StepContext, id: StepId, meter: Meter): unknown
  /** Converts a fault into a result, for kinds of steps where it is not a failure. */
  onFault?(code: string, message: string): Json | undefined
  /** The idempotency key of an action, part of its durable intent. */
  key?(id: StepId): string
  /** What is to be certified. */
  readonly claim?: Claim
  /** E8. Covers everything that the agent receives. Undefined: does not apply. */
  fingerprint?(id: StepId): string | undefined
  /** What the end of the step records besides its result, and the content that it references. */
  finished?(result: Json | undefined): Finished
}

export interface Finished extends Pick<StepFinished, 'evidence' | 'certificate' | 'fingerprint'> {
  readonly names?: readonly BlobId[]
  /** Nothing was run, so the files need not be read. */
  readonly untouched?: boolean
}

/** For building an event field by field. */
export type Draft<T> = { -readonly [Key in keyof T]: T[Key] }

/** Adds the kind and role of the step to the event. */
export function describeStep(
  event: Draft<Pick<DescribedStep, 'kind' | 'role'>>,
  spec: StepSpec,
): void {
  const { kind, name, options } = spec
  if (kind !== 'step') event.kind = kind
  const role = kind === 'step' ? options.role : name
  if (role !== undefined) event.role = role
}
