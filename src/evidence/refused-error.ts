/** Thrown if work cannot be certified for a known reason; becomes a refusal. */

import type { Refusal } from '../loop/index.ts'

export class RefusedError extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal.message, options)
    this.name = 'RefusedError'
    this.refusal = refusal
  }
}
