import { expect, test } from 'vitest'
import type { StepId } from '../../loop/index.ts'
import { agentLogFile } from './file-names.ts'

const step = (name: string): StepId => name as StepId

test('the log of an agent is named by the label of its role, or by the role', () => {
  expect(agentLogFile(1, step('agent:maker#1'))).toBe('iter-01-impl.log')
  expect(agentLogFile(2, step('agent:Second Reader#1'))).toBe('iter-02-second-reader.log')
  const roles = { maker: { label: 'work' }, reviewer: { label: 'review' }, other: {} }
  expect(agentLogFile(1, step('left/agent:maker#2'), roles)).toBe('iter-01-work.log')
  expect(agentLogFile(1, step('agent:reviewer#1'), roles)).toBe('iter-01-review.log')
  expect(agentLogFile(1, step('agent:other#1'), roles)).toBe('iter-01-other.log')
})
