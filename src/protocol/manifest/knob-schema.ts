/** How knobs are written in a manifest: a place in an artifact, and its possible values. */

import { z } from 'zod'
import { expects, innerPath, key, keys, list, text } from '../loop-file/value-schemas.ts'
import type { Knob } from './manifest.ts'

const valueCharsMax = 100_000

export const filePath = (): z.ZodType<string, string> =>
  innerPath('the path of a file, from the folder of the manifest')

const finite = (what: string) => z.number({ error: expects(what) })
const value = () =>
  z.string({ error: expects('text') }).max(valueCharsMax, { error: 'it is too long: shorten it' })

const place = () => ({
  file: key(
    filePath().exactOptional(),
    'The artifact that it is in. Default: the only one.',
    'prompt.md',
  ),
  text: key(
    text(2000).refine((written) => written.split('{value}').length === 2, {
      error: 'it needs {value} exactly once: where the value is',
    }),
    'A part of its text that occurs exactly once, with {value} where the value is.',
    'temperature = {value}',
  ),
})

export const distinct = (values: readonly string[]): boolean =>
  new Set(values).size === values.length
const values = (what: string) =>
  list(value(), what, { min: 2, max: 100 }).refine(distinct, {
    error: 'two of the values are the same: remove one',
  })

export const knob: z.ZodType<Knob> = z.discriminatedUnion(
  'type',
  [
    keys({
      type: z.literal('number'),
      ...place(),
      min: key(finite('a number'), 'The least value.', 0),
      max: key(finite('a number'), 'The greatest value.', 1),
      step: key(
        finite('a number above 0').positive({ error: 'it has to be above 0' }).exactOptional(),
        'The distance between values. Default: any number in between.',
        0.1,
      ),
    }).refine(({ min, max }) => min < max, { path: ['max'], error: 'it has to be above min' }),
    keys({
      type: z.literal('choice'),
      ...place(),
      values: key(values('a list of at least two texts'), 'The possible values.', ['a', 'b']),
    }),
    keys({
      type: z.literal('toggle'),
      ...place(),
      on: key(value(), 'Its text when it is on.', 'true'),
      off: key(value(), 'Its text when it is off.', 'false'),
    }).refine(({ on, off }) => on !== off, { path: ['off'], error: 'it is the same as on' }),
    keys({
      type: z.literal('text'),
      ...place(),
      variants: key(values('a list of at least two texts'), 'The possible texts.', [
        'Be brief.',
        'Explain each step.',
      ]),
    }),
  ],
  { error: expects('a knob with type number, choice, toggle or text') },
)
