/**
 * What the search composer may turn: numbers, choices, toggles and text variants. Every knob has a list of values, so an
 * edit can be recognized when it comes up again.
 */

import type { Random } from '../statistics/random.ts'

export type KnobValue = number | string | boolean

export type Knob =
  | {
      readonly type: 'number'
      readonly name: string
      readonly min: number
      readonly max: number
      /** Distance of neighboring values; default: a hundredth of the range. */
      readonly step?: number
    }
  | { readonly type: 'choice'; readonly name: string; readonly choices: readonly string[] }
  | { readonly type: 'toggle'; readonly name: string }
  /** Texts that can stand at one place of an artifact. */
  | { readonly type: 'text'; readonly name: string; readonly variants: readonly string[] }

/** A value for each knob, in the order of the knobs. A number that a person chose may lie between two steps. */
export type Configuration = readonly KnobValue[]

/** Two configurations are the same edit exactly if their keys are equal. */
export const keyOf = (configuration: Configuration): string => JSON.stringify(configuration)

const toggleValues: readonly KnobValue[] = [false, true]

/** The knob's values if they have no order; undefined for a number. */
function listValues(knob: Knob): readonly KnobValue[] | undefined {
  if (knob.type === 'choice') return knob.choices
  if (knob.type === 'text') return knob.variants
  return knob.type === 'toggle' ? toggleValues : undefined
}

interface Range {
  readonly min: number
  readonly step: number
  /** Of the last value. */
  readonly last: number
}

function rangeOf({ min, max, step }: Extract<Knob, { type: 'number' }>): Range {
  const distance = step ?? (max - min) / 100
  if (!(max >= min) || !(distance > 0)) return { min, step: 0, last: 0 }
  return { min, step: distance, last: Math.floor((max - min) / distance + 1e-9) }
}

/** Rounded to 12 digits, so that 0.1 + 0.2 is written as 0.3. */
const numberAt = ({ min, step }: Range, place: number): number =>
  Number((min + place * step).toPrecision(12))

export function countConfigurations(knobs: readonly Knob[]): number {
  return knobs.reduce((count, knob) => {
    const values = listValues(knob)
    if (values !== undefined) return count * new Set(values).size
    return count * (knob.type === 'number' ? rangeOf(knob).last + 1 : 1)
  }, 1)
}

export const drawConfiguration = (knobs: readonly Knob[], random: Random): Configuration =>
  knobs.map((knob) => drawValue(knob, random))

function drawValue(knob: Knob, random: Random): KnobValue {
  const values = listValues(knob)
  if (values !== undefined) return values[Math.floor(random() * values.length)] ?? false
  if (knob.type !== 'number') return false
  const range = rangeOf(knob)
  return numberAt(range, Math.floor(random() * (range.last + 1)))
}

/** Changes one knob or a few: numbers by up to a quarter of their range. */
export function mutate(
  knobs: readonly Knob[],
  configuration: Configuration,
  random: Random,
): Configuration {
  const surely = Math.floor(random() * knobs.length)
  return knobs.map((knob, at) => {
    const value = configuration[at] ?? false
    if (at !== surely && random() >= 1 / knobs.length) return value
    if (knob.type !== 'number' || typeof value !== 'number') return drawOther(knob, value, random)
    return moveNumber(knob, value, (random() * 2 - 1) * 0.25)
  })
}

function drawOther(knob: Knob, value: KnobValue, random: Random): KnobValue {
  const others = (listValues(knob) ?? []).filter((one) => one !== value)
  return others[Math.floor(random() * others.length)] ?? value
}

/** By a part of the range, to the nearest value, and by one step at least. */
function moveNumber(knob: Extract<Knob, { type: 'number' }>, value: number, part: number): number {
  const range = rangeOf(knob)
  if (range.step === 0) return value
  const place = (value - range.min) / range.step
  const exact = place + part * range.last
  const rounded =
    part > 0
      ? Math.max(Math.round(exact), Math.floor(place + 1e-9) + 1)
      : Math.min(Math.round(exact), Math.ceil(place - 1e-9) - 1)
  return numberAt(range, Math.min(range.last, Math.max(0, rounded)))
}

/** The same configuration with each other value of one knob: numbers one part of the range up and down. */
export function alternatives(
  knobs: readonly Knob[],
  configuration: Configuration,
  at: number,
  part: number,
): readonly Configuration[] {
  const [knob, value] = [knobs[at], configuration[at]]
  if (knob === undefined || value === undefined) return []
  const values =
    knob.type === 'number' && typeof value === 'number'
      ? [moveNumber(knob, value, -part), moveNumber(knob, value, part)]
      : (listValues(knob) ?? [])
  return [...new Set(values)]
    .filter((one) => one !== value)
    .map((one) => configuration.with(at, one))
}
