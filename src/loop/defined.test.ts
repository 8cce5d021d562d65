import { expect, test } from 'vitest'
import { defined } from './defined.ts'

test('omits members that are undefined', () => {
  const limit: number | undefined = undefined
  expect(Object.keys(defined({ limit, name: 'a' }))).toEqual(['name'])
})

test('keeps every other value, including falsy ones, in the given order', () => {
  const members = { zero: 0, empty: '', no: false, nothing: null }
  expect(Object.entries(defined(members))).toEqual(Object.entries(members))
})

test('gives members that can be absent and are never undefined', () => {
  const read = (name: string | undefined): { readonly name?: string } => defined({ name })
  expect(read(undefined)).toEqual({})
  expect(read('a')).toEqual({ name: 'a' })
})
