import { expect, test } from 'vitest'
import type { CertificateId, Outcome, RunId } from '../../loop/index.ts'
import type { Findings } from './collect-findings.ts'
import { findRootCause } from './find-root-cause.ts'

const found = (outcome: Outcome, ended = ''): Findings =>
  ({ outcome, ended, iterations: [], errors: [], flaky: [], refusals: [] }) as unknown as Findings

const earlier = {
  run: 'run-1' as RunId,
  name: 'first',
  certificate: 'sha256-1' as CertificateId,
  branch: 'run/first',
}

test('the loop is not blamed if an earlier run did the work', () => {
  const outcome: Outcome = { type: 'completed', condition: 'already-done', earlier }
  expect(findRootCause(found(outcome))).toEqual({
    cause: 'none',
    why: 'Run "first" did this work before, and its certificate is valid.',
  })
})

test('the loop is not blamed if the same attempt was made before', () => {
  const detail = 'run "first" did not complete'
  const outcome: Outcome = { type: 'stuck', condition: 'no-new-evidence', detail }
  expect(findRootCause(found(outcome))).toEqual({
    cause: 'none',
    why: `This exact attempt was already made, so nothing was spent: ${detail}.`,
  })
})

test('the machine is blamed if a check could not run on the base', () => {
  const fault = { code: 'cannot-run', message: 'mocha: not found', retryable: false }
  const { cause, why } = findRootCause(
    found({ type: 'failed', fault, preflight: true }, 'mocha: not found'),
  )
  expect(cause).toBe('execution-failure')
  expect(why).toMatch(/^The machine or the repository is not set up for it.*mocha: not found\.$/)
})
