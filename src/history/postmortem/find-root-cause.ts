/**
 * Finds out why a run did not complete, as far as the journal shows: one of the three root causes of the legacy
 * format, or none. The first matching rule decides.
 */

import { endedWithoutWork, type Outcome } from '../../loop/index.ts'
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
  const needingHelp = iterations.filter(
    ({ agent }) => agent === 'needs-context' || agent === 'blocked',
  )
  switch (outcome?.type) {
    case undefined:
      return { cause: 'none', why: 'The work was certified.' }
    case 'completed': {
      const { earlier } = outcome
      const why =
        earlier === undefined
          ? 'The work was certified.'
          : `Run "${earlier.name}" did this work before, and its certificate is valid.`
      return { cause: 'none', why }
    }
    case 'cancelled':
    case 'stopped':
      return { cause: 'none', why: 'A person ended it.' }
    case 'failed':
      return { cause: 'execution-failure', why: `${describeFailure(outcome)}: ${found.ended}.` }
    case 'stuck':
      if (outcome.condition === 'no-new-evidence') return createTriedBefore(outcome.detail)
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
  if (needingHelp.length > 0) {
    const said = needingHelp.at(-1)?.said ?? ''
    const lastReport = said === '' ? '.' : `, at last: ${said}`
    const why = `In ${needingHelp.length} of ${iterations.length} iterations the agent reported that it was blocked or needed more context${lastReport}`
    return { cause: 'spec-gap', why }
  }
  if (last !== undefined && last.checks.length === 0) {
    return { cause: 'spec-gap', why: 'No check determines when the work is done.' }
  }
  if (flaky.length > 0) {
    const why = `Flaky checks give different results on the same files: ${flaky.join(', ')}.`
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

/** Neither the loop nor the agent can fix the setup of the machine. */
const describeFailure = (outcome: Outcome): string =>
  endedWithoutWork(outcome)
    ? 'The machine or the repository is not set up for it, so nothing was tried'
    : 'It could not continue'

const createTriedBefore = (detail: string): FoundCause => ({
  cause: 'none',
  why: `This exact attempt was already made, so nothing was spent: ${detail}.`,
})
