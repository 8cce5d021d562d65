import { expect, test } from 'vitest'
import { defaultThresholds } from '../loop/index.ts'
import { escalationOf } from './escalation.ts'

const file = { scope: [] }
const held = { attended: false, isHeld: true }

test('an unattended run of a daemon asks on every trigger; all others end', () => {
  expect(escalationOf(file, held)).toEqual({ thresholds: defaultThresholds, when: 'triggered' })
  expect(escalationOf(file, { ...held, attended: true })).toBeUndefined()
  expect(escalationOf(file, { attended: false })).toBeUndefined()
  expect(escalationOf({ ...file, escalate: false }, held)).toBeUndefined()
})

test('the loop file decides first, then the loop type', () => {
  const thresholds = { files: 50, filesPer: 'iteration' } as const
  const place = { ...held, thresholds }
  expect(escalationOf(file, place)?.thresholds).toEqual({ ...defaultThresholds, ...thresholds })
  const stated = { ...file, escalate: { files: 5, deadlineMs: 1000 } }
  const found = escalationOf(stated, { attended: true, thresholds })
  expect(found).toMatchObject({ deadlineMs: 1000, when: 'triggered' })
  expect(found?.thresholds).toEqual({ ...defaultThresholds, files: 5, filesPer: 'iteration' })
})
