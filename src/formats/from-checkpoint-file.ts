/** What a run that continues from a checkpoint file is created from (C2). */

import type { Evidence, Origin } from '../loop/index.ts'
import type { CheckpointFile, Continuation } from '../protocol/index.ts'

export interface RestoredCheckpoint extends Omit<Continuation, 'run' | 'evidence'> {
  readonly origin: Origin
  /** The run that wrote the checkpoint; the new run gets its own id. */
  readonly from: Continuation['run']
  readonly evidence: { readonly [check: string]: Evidence }
}

export function fromCheckpointFile(file: CheckpointFile): RestoredCheckpoint {
  const { run, evidence, ...rest } = file.loopwright
  const { checkpoint_id } = file.checkpoint
  return {
    ...rest,
    origin: { type: 'checkpoint', checkpoint: checkpoint_id, iteration: rest.iteration },
    from: run,
    evidence: Object.fromEntries(evidence.map(({ check, ...found }) => [check, found])),
  }
}
