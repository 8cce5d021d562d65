import { expect, test } from 'vitest'
import { type DescribedStep, stepId } from '../../loop/index.ts'
import { partOf } from './project-step.ts'

const finished = (name: string, described: Pick<DescribedStep, 'kind' | 'role'> = {}) =>
  ({
    type: 'step-finished',
    iteration: 1,
    step: stepId('', name, 1),
    attempt: 1,
    ...described,
  }) as const

test.each([
  ['by its role', finished('text for the agent', { role: 'prompt' }), 'prompt'],
  ['by its kind', finished('agent:maker', { kind: 'agent', role: 'maker' }), 'agent'],
  ['by its role, not its name', finished('prompt', { role: 'notes' }), undefined],
  ['in an earlier journal by its name: a prompt', finished('prompt'), 'prompt'],
  ['in an earlier journal by its name: an agent', finished('agent:maker'), 'agent'],
  ['in an earlier journal by its name: a check', finished('check:tests'), 'check'],
  ['not at all', finished('plan'), undefined],
] as const)('what a step adds to the files of a run is known %s', (_name, event, part) => {
  expect(partOf(event)).toBe(part)
})

test('the role in a note is that of its writer, not of the step', () => {
  const note = { type: 'waiting', untilMs: 1, message: 'not now' } as const
  const step = stepId('', 'agent:maker', 1)
  expect(partOf({ type: 'step-noted', iteration: 1, step, role: 'prompt', note })).toBe('agent')
})
