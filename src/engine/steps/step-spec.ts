/** A step as the parts of the engine describe it to each other, and in events. */

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

export interface StepSpec {
  readonly kind: StepKind
  /** Without the kind. */
  readonly name: string
  readonly options: StepOptions
  /**
   * `changes`: may change files; one at a time, trees are recorded. `reads`: must see files
   * unchanged. `nothing`: neither, so it runs beside the others.
   */
  readonly files: 'changes' | 'reads' | 'nothing'
  run(context: StepContext, id: StepId): unknown
  /** Instead of `run` when an earlier attempt may have happened without leaving a result. */
  recover?(context: StepContext, id: StepId): unknown
  /** Instead of a failure: what a fault means for this kind of step. */
  onFault?(code: string, message: string): Json | undefined
  /** The idempotency key of an action, part of its durable intent. */
  key?(id: StepId): string
  /** What is to be certified. */
  readonly claim?: Claim
  /** E8. Of all that is given to whoever works; undefined: it does not matter here. */
  fingerprint?(id: StepId): string | undefined
  /** What the end of the step says besides its result, and the content that it names. */
  finished?(result: Json | undefined): Finished
}

export interface Finished extends Pick<StepFinished, 'evidence' | 'certificate' | 'fingerprint'> {
  readonly names?: readonly BlobId[]
  /** Nothing was run, so the files need not be looked at. */
  readonly untouched?: boolean
}

/** For building an event field by field. */
export type Draft<T> = { -readonly [Key in keyof T]: T[Key] }

/** Says in the event what the step is. */
export function describeStep(
  event: Draft<Pick<DescribedStep, 'kind' | 'role'>>,
  spec: StepSpec,
): void {
  const { kind, name, options } = spec
  if (kind !== 'step') event.kind = kind
  const role = kind === 'step' ? options.role : name
  if (role !== undefined) event.role = role
}
