import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { toolNames } from './tool-names.ts'

test('valid names stay as they are', () => {
  expect(toolNames('git', ['log', 'show_file', 'a-b'])).toEqual(
    new Map([
      ['log', 'git__log'],
      ['show_file', 'git__show_file'],
      ['a-b', 'git__a-b'],
    ]),
  )
})

test('a tool keeps its name if another one is cleaned to the same', () => {
  const names = toolNames('s', ['a_b', 'a.b', 'a b'])
  expect(names.get('a_b')).toBe('s__a_b')
  expect(names.get('a.b')).toMatch(/^s__a_b_[0-9a-f]{6}$/)
  expect(new Set(names.values()).size).toBe(3)
})

test('a tool gets no name if the server already uses the name it would get', () => {
  const taken = toolNames('s', ['a.b', 'a b']).get('a.b')?.slice('s__'.length) ?? ''
  const names = toolNames('s', ['a.b', 'a b', taken])
  expect(names.get(taken)).toBe(`s__${taken}`)
  expect([...names.keys()]).toEqual(['a b', taken])
})

test('any names become different valid names, independent of their order', () => {
  const tools = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1, maxLength: 120 }), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(tools, (list) => {
      const names = toolNames('server', list)
      for (const name of names.values()) expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/)
      expect(new Set(names.values()).size).toBe(list.length)
      const reversed = toolNames('server', list.toReversed())
      for (const tool of list) expect(reversed.get(tool)).toBe(names.get(tool))
    }),
  )
})
