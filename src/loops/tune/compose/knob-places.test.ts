import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Knob } from '../../../protocol/index.ts'
import { findPlace, type KnobPlace, turnKnobs, writeValue } from './knob-places.ts'
import { applyEdits } from './option.ts'

const text = 'heat = 0.5\nTone: plain.\nstrict: yes\nTone of voice\n'
const knobs: Readonly<Record<string, Knob>> = {
  heat: { type: 'number', text: 'heat = {value}\n', min: 0, max: 1, step: 0.1 },
  tone: { type: 'choice', text: 'Tone: {value}.', values: ['plain', 'formal $& $1'] },
  strict: { type: 'toggle', text: 'strict: {value}\n', on: 'yes', off: 'no' },
}

const placeOf = (name: string, knob = knobs[name], given = text): KnobPlace => {
  if (knob === undefined) throw new Error(name)
  const found = findPlace(name, knob, 'a.md', given)
  if (found.type === 'found') return found.place
  throw new Error(found.problem)
}

const places = Object.keys(knobs).map((name) => placeOf(name))

test('a knob is found by the text around it, with its value', () => {
  expect(places.map(({ value }) => value)).toEqual([0.5, 'plain', true])
  expect(places.map(({ start, end }) => text.slice(start, end))).toEqual(['0.5', 'plain', 'yes'])
})

test('turning knobs changes their values and nothing else, and is found again', () => {
  const values = fc.tuple(
    fc.integer({ min: 0, max: 10 }).map((tenth) => tenth / 10),
    fc.constantFrom('plain', 'formal $& $1'),
    fc.boolean(),
  )
  fc.assert(
    fc.property(values, (wanted) => {
      const turned = turnKnobs(text, places, wanted)
      expect(Object.keys(knobs).map((name) => placeOf(name, knobs[name], turned).value)).toEqual(
        wanted,
      )
      expect(
        turnKnobs(
          turned,
          Object.keys(knobs).map((name) => placeOf(name, knobs[name], turned)),
          [0.5, 'plain', true],
        ),
      ).toBe(text)
    }),
    { numRuns: 50 },
  )
})

test.each<[string, Knob, string]>([
  [
    'is not there',
    { type: 'toggle', text: 'lax: {value}\n', on: 'a', off: 'b' },
    'has no text like "lax: {value}',
  ],
  [
    'is there twice',
    { type: 'toggle', text: 'Tone{value}', on: 'a', off: 'b' },
    'has 2 texts like',
  ],
  [
    'has another value',
    { type: 'toggle', text: 'strict: {value}\n', on: 'a', off: 'b' },
    '"yes", is not one of its values',
  ],
  [
    'is not a number',
    { type: 'number', text: 'Tone: {value}.', min: 0, max: 1 },
    'is not one of its values',
  ],
  [
    'is out of its range',
    { type: 'number', text: 'heat = {value}\n', min: 1, max: 2 },
    'is not one of its values',
  ],
])('a knob that %s is a problem', (_what, knob, problem) => {
  expect(() => placeOf('a', knob)).toThrow(problem)
})

test('an edit applies only if its current text is there exactly once', () => {
  const edit = (current: string, proposed = 'x') => ({ file: 'a', section: 's', current, proposed })
  expect(applyEdits(text, [edit('heat = 0.5', 'heat = $1')])).toContain('heat = $1')
  expect(applyEdits(text, [edit('Tone')])).toBeUndefined()
  expect(applyEdits(text, [edit('missing')])).toBeUndefined()
  expect(applyEdits(text, [edit('')])).toBeUndefined()
  expect(writeValue({ type: 'toggle', text: '{value}', on: '1', off: '0' }, true)).toBe('1')
})
