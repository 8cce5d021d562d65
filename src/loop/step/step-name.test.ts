import { describe, expect, test } from 'vitest'
import { stepId } from '../ids.ts'
import { nameProblem, parseStepId, parseStepKind } from './step-name.ts'

describe('the name of a step', () => {
  test.each(['plan', 'run tests', 'a.b-c_d', 'überprüfen', '__proto__', 'x'.repeat(200)])(
    'may be %j',
    (name) => {
      expect(nameProblem(name)).toBeUndefined()
    },
  )

  test.each([
    ['', 'empty'],
    ['a/b', 'contains'],
    ['a#1', 'contains'],
    ['a\nb', 'control'],
    ['a\u0000', 'control'],
    ['x'.repeat(201), 'longer'],
  ])('may not be %j', (name, problem) => {
    expect(nameProblem(name)).toContain(problem)
  })
})

test.each([
  [stepId('', 'plan', 1), 'step'],
  [stepId('0.left/1.deep/', 'tool:grep', 2), 'tool'],
  [stepId('0.tool:x/', 'plan', 1), 'step'],
  [stepId('', 'ask:allow merge', 1), 'ask'],
  [stepId('', 'other:thing', 1), 'step'],
  [stepId('', ':odd', 1), 'step'],
])('the id %s shows that the step is of the kind %s', (id, kind) => {
  expect(parseStepKind(id)).toBe(kind)
})

test.each([
  ['', 'step', 'plan', 1],
  ['0.left/1.deep/', 'tool', 'grep', 2],
  ['0.tool:x/', 'check', 'a: b', 12],
] as const)('an id of %j, %s, %s and %d is taken apart', (path, kind, name, occurrence) => {
  const step = stepId(path, kind === 'step' ? name : `${kind}:${name}`, occurrence)
  expect(parseStepId(step)).toEqual({ path, kind, name, occurrence })
})
