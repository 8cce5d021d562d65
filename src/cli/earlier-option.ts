import { LoopError } from '../loop/index.ts'

/** What a person says about an earlier attempt whose result is unknown. */
export interface EarlierOptions {
  readonly happened?: boolean | undefined
  readonly again?: boolean | undefined
}

export function toEarlier({ happened, again }: EarlierOptions): {
  readonly earlier?: 'happened' | 'again'
} {
  if (happened === true && again === true) {
    throw new LoopError('bad-request', '--happened and --again conflict; use one of them.')
  }
  if (happened === true) return { earlier: 'happened' }
  return again === true ? { earlier: 'again' } : {}
}
