/**
 * Where the knobs of a manifest are in the text of their artifact, and what they are set to. A knob is found by the text
 * around its value, which occurs exactly once. Pure.
 */

import type { Knob as WrittenKnob } from '../../../protocol/index.ts'
import type { Configuration, Knob, KnobValue } from '../search/knobs.ts'

/** A knob in a text: its value, and where that begins and ends. */
export interface KnobPlace {
  readonly name: string
  readonly knob: WrittenKnob
  readonly file: string
  readonly value: KnobValue
  readonly start: number
  readonly end: number
}

export type FoundPlace =
  | { readonly type: 'found'; readonly place: KnobPlace }
  | { readonly type: 'problem'; readonly problem: string }

export function findPlace(name: string, knob: WrittenKnob, file: string, text: string): FoundPlace {
  const [before = '', after = ''] = knob.text.split('{value}')
  const starts = occurrences(text, before, after)
  const [start] = starts
  if (start === undefined) return problem(name, `${file} has no text like ${quoted(knob.text)}`)
  if (starts.length > 1) {
    return problem(
      name,
      `${file} has ${starts.length} texts like ${quoted(knob.text)}; add more of what is around the value`,
    )
  }
  const end = endOf(text, start, after)
  const written = text.slice(start, end)
  const value = toValue(knob, written)
  if (value !== undefined) return { type: 'found', place: { name, knob, file, value, start, end } }
  return problem(name, `its value in ${file}, ${quoted(written)}, is not one of its values`)
}

/** Where values begin. */
function occurrences(text: string, before: string, after: string): readonly number[] {
  const found: number[] = []
  let from = 0
  for (;;) {
    const at = text.indexOf(before, from)
    if (at === -1 || found.length > 1) return found
    const start = at + before.length
    if (after === '' || text.indexOf(after, start) !== -1) found.push(start)
    if (before === '') return found
    from = start
  }
}

/** Up to the text after it; without one, to the end of the line. */
function endOf(text: string, start: number, after: string): number {
  const end = text.indexOf(after === '' ? '\n' : after, start)
  return end === -1 ? text.length : end
}

function toValue(knob: WrittenKnob, written: string): KnobValue | undefined {
  switch (knob.type) {
    case 'number': {
      const value = written.trim() === '' ? Number.NaN : Number(written)
      return value >= knob.min && value <= knob.max ? value : undefined
    }
    case 'toggle':
      return written === knob.on ? true : written === knob.off ? false : undefined
    case 'choice':
      return knob.values.includes(written) ? written : undefined
    case 'text':
      return knob.variants.includes(written) ? written : undefined
  }
}

/** How a value is written. */
export function writeValue(knob: WrittenKnob, value: KnobValue): string {
  if (knob.type === 'toggle') return value === true ? knob.on : knob.off
  return String(value)
}

/** The text with other values. The places are of this text. */
export function turnKnobs(
  text: string,
  places: readonly KnobPlace[],
  values: readonly KnobValue[],
): string {
  const turned = places
    .map((place, at) => ({ place, value: values[at] ?? place.value }))
    .toSorted((a, b) => b.place.start - a.place.start)
  return turned.reduce(
    (edited, { place: { start, end, knob }, value }) =>
      `${edited.slice(0, start)}${writeValue(knob, value)}${edited.slice(end)}`,
    text,
  )
}

/** As the search knows it. */
export function toSearchKnob(name: string, knob: WrittenKnob): Knob {
  switch (knob.type) {
    case 'number': {
      const { min, max, step } = knob
      return { type: 'number', name, min, max, ...(step === undefined ? {} : { step }) }
    }
    case 'choice':
      return { type: 'choice', name, choices: knob.values }
    case 'toggle':
      return { type: 'toggle', name }
    case 'text':
      return { type: 'text', name, variants: knob.variants }
  }
}

export const configurationOf = (places: readonly KnobPlace[]): Configuration =>
  places.map(({ value }) => value)

const problem = (name: string, reason: string): FoundPlace => ({
  type: 'problem',
  problem: `knobs.${name}: ${reason}`,
})

const quoted = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
