/** What the proof and its workers tell each other. */

export interface SimulateJob {
  readonly first: number
  readonly last: number
}

export interface SimulateAnswer {
  readonly passed: number
  readonly failures: readonly { readonly seed: number; readonly message: string }[]
}
