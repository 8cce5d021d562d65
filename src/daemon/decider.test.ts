import { expect, test } from 'vitest'
import { localUser } from '../system/local-user.ts'
import { toDecider } from './decider.ts'

test('who decides is the name of the token, or the local user; a request only claims', () => {
  expect(toDecider({ name: 'anna' }, undefined)).toEqual({ name: 'anna' })
  expect(toDecider({ name: 'anna' }, 'anna')).toEqual({ name: 'anna' })
  expect(toDecider({ name: 'anna' }, 'root')).toEqual({ name: 'anna', claimed: 'root' })
  expect(toDecider({}, 'anna')).toEqual({ name: localUser(), claimed: 'anna' })
  expect(toDecider(undefined, 'default')).toEqual({ name: localUser(), claimed: 'default' })
})
