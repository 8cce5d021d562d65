import { expect, test } from 'vitest'
import { annotationsSchema, toRisk } from './tool-risk.ts'

const yes = true
const no = false

test.each([
  ['destructive', undefined],
  ['destructive', {}],
  ['destructive', { idempotentHint: yes }],
  ['destructive', { readOnlyHint: no, openWorldHint: no }],
  ['destructive', { readOnlyHint: yes, destructiveHint: yes }],
  ['destructive', { destructiveHint: yes, idempotentHint: yes }],
  ['read-only', { readOnlyHint: yes }],
  ['read-only', { readOnlyHint: yes, openWorldHint: no, idempotentHint: yes }],
  ['network', { readOnlyHint: yes, openWorldHint: yes }],
  ['network', { destructiveHint: no }],
  ['network', { destructiveHint: no, idempotentHint: yes, openWorldHint: yes }],
  ['idempotent', { destructiveHint: no, idempotentHint: yes }],
] as const)('a tool is %s with the hints %j', (risk, hints) => {
  expect(toRisk(hints, false)).toBe(risk)
  expect(toRisk(hints, true)).toBe(risk === 'destructive' ? 'destructive' : 'network')
})

test('a hint that is not a boolean is ignored', () => {
  expect(annotationsSchema.parse({ readOnlyHint: 'yes', title: 7 })).toEqual({})
  expect(annotationsSchema.parse('read-only')).toBeUndefined()
})
