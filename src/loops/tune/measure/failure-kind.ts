/**
 * What a failure is, before anything is concluded from it. `evaluator-false-positive`: the judge fails a good output;
 * `evaluator-miscalibration`: it does not judge the same in the same way.
 */
export type FailureKind =
  | 'real-error'
  | 'evaluator-false-positive'
  | 'evaluator-miscalibration'
  | 'infrastructure'
