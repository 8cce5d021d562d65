/**
 * Why a run did not complete, as far as its record tells: one of the three that document 002 knows, or none.
 * The first rule that fits decides.
 */

import { didNothing, type Outcome } from '../../loop/index.ts'
import type { Findings } from './collect-findings.ts'

export const rootCauses = [
  'none',
  'spec-gap',
  'implementation-deviation',
  'execution-failure',
] as const

export type RootCause = (typeof rootCauses)[number]

export interface FoundCause {
  readonly cause: RootCause
  readonly why: string
}

export function findRootCause(found: Findings): FoundCause {
  const { outcome, iterations, errors, flaky, refusals } = found
  const last = iterations.at(-1)
  const failed = iterations.filter(({ isError }) => isError).length
  const asked = iterations.filter(({ agent }) => agent === 'needs-context' || agent === 'blocked')
  switch (outcome?.type) {
    case undefined:
      return { cause: 'none', why: 'The work was certified.' }
    case 'completed': {
      const { earlier } = outcome
      const why =
        earlier === undefined
          ? 'The work was certified.'
          : `Run "${earlier.name}" did this work before, and its certificate holds.`
      return { cause: 'none', why }
    }
    case 'cancelled':
    case 'stopped':
      return { cause: 'none', why: 'Somebody ended it.' }
    case 'failed':
      return { cause: 'execution-failure', why: `${whatFailed(outcome)}: ${found.ended}.` }
    case 'stuck':
      if (outcome.condition === 'no-new-evidence') return triedBefore(outcome.detail)
      break
    default:
  }
  if (iterations.length === 0) return { cause: 'execution-failure', why: 'No iteration ended.' }
  if (failed * 2 > iterations.length) {
    const [most] = errors
    const what = most === undefined ? '' : ` Most often: ${most.message} (${most.times} times).`
    const why = `${failed} of ${iterations.length} iterations ended in an error.${what}`
    return { cause: 'execution-failure', why }
  }
  if (asked.length > 0) {
    const why = `In ${asked.length} of ${iterations.length} iterations the agent said that it lacked something or was blocked.`
    return { cause: 'spec-gap', why }
  }
  if (last !== undefined && last.checks.length === 0) {
    return { cause: 'spec-gap', why: 'No check says when the work is done.' }
  }
  if (flaky.length > 0) {
    const why = `Checks that answer differently on the same files cannot tell: ${flaky.join(', ')}.`
    return { cause: 'execution-failure', why }
  }
  if (refusals.length > 0) {
    return {
      cause: 'implementation-deviation',
      why: `The work was refused: ${refusals.join('; ')}.`,
    }
  }
  const open = last?.checks.filter(({ status }) => status !== 'met') ?? []
  const names = open.map(({ check, status }) => `${check} (${status})`).join(', ')
  const idle = iterations.filter(({ didChange }) => !didChange).length
  const still = idle === 0 ? '' : ` ${idle} of ${iterations.length} iterations changed no file.`
  const why = names === '' ? `It ended before it was done.${still}` : `Not met: ${names}.${still}`
  return { cause: 'implementation-deviation', why }
}

/** Neither the loop nor the agent can change how a machine is set up. */
const whatFailed = (outcome: Outcome): string =>
  didNothing(outcome)
    ? 'The machine or the repository is not set up for it, so nothing was tried'
    : 'It could not go on'

const triedBefore = (detail: string): FoundCause => ({
  cause: 'none',
  why: `Exactly this was tried before, so nothing was spent: ${detail}.`,
})
