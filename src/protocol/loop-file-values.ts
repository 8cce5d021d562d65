/**
 * The values that a loop file is made of, each with what it says to a person who wrote it wrongly.
 * They are made anew for each key, because what is told about a key belongs to that one schema.
 */

import { z } from 'zod'
import { durationPattern, parseDuration } from '../loop/index.ts'
import { found } from './loop-file-issues.ts'

/** What editors show. `id` makes it a part of its own in the published schema. */
export interface Told {
  readonly id?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
}

export const told: z.core.$ZodRegistry<Told> = z.registry<Told>()

/** Says what a key is for. The schema must not be in use for another key. */
export function key<S extends z.ZodType>(
  schema: S,
  description: string,
  ...examples: unknown[]
): S {
  told.add(schema, examples.length === 0 ? { description } : { description, examples })
  return schema
}

interface Raw {
  readonly input?: unknown
}

/** The reason for anything that is wrong with a value. */
export const expects =
  (what: string) =>
  ({ input }: Raw): string =>
    input === undefined
      ? `it is missing: expected ${what}`
      : `expected ${what}, found ${found(input)}`

/**
 * Unknown keys are refused. The message says what keys are called here and lists those that there are, for the
 * nearest name.
 */
export function keys<S extends z.core.$ZodLooseShape>(
  shape: S,
  what: string = 'key',
): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? [what, ...Object.keys(shape)].join(', ') : undefined,
  })
}

/** NaN when it is not one. */
const durationMs = (written: string): number => parseDuration(written) ?? Number.NaN

/** What timers can wait for is a little more. */
const timeoutDaysMax = 24

/** Text with a unit, as milliseconds. */
export function duration(daysMax: number = timeoutDaysMax): z.ZodType<number, string> {
  const error = expects('a duration with its unit, such as 500ms, 30s, 10m, 2h or 1d')
  const bounds = expects(`a duration of 1ms to ${daysMax}d`)
  return z
    .string({ error })
    .regex(durationPattern, { error, abort: true })
    .refine(
      (written) => {
        const ms = durationMs(written)
        return ms >= 1 && ms <= daysMax * 86_400_000
      },
      { error: bounds },
    )
    .transform(durationMs)
}

const sizeUnits: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
}

const sizePattern = /^(\d{1,12}(?:\.\d{1,6})?)(B|KB|MB|GB)$/

/** NaN when it is not one. */
function sizeBytes(written: string): number {
  const [, amount, unit = ''] = sizePattern.exec(written) ?? []
  return Math.round(Number(amount) * (sizeUnits[unit] ?? Number.NaN))
}

/** Text with a unit, as bytes. Units are powers of 1024. */
export function size(min: string = '1KB', max: string = '1048576GB'): z.ZodType<number, string> {
  const error = expects('a size with its unit, such as 64KB, 512MB or 4GB')
  return z
    .string({ error })
    .regex(sizePattern, { error, abort: true })
    .refine(
      (written) => {
        const bytes = sizeBytes(written)
        return bytes >= sizeBytes(min) && bytes <= sizeBytes(max)
      },
      { error: expects(`a size of ${min} to ${max}`) },
    )
    .transform(sizeBytes)
}

const dollarsMax = 1_000_000

/** Dollars, as micro-dollars. */
export function dollars(): z.ZodType<number, number> {
  const error = expects(`dollars, a number from 0 to ${dollarsMax}`)
  return z
    .number({ error })
    .min(0, { error })
    .max(dollarsMax, { error })
    .transform((amount) => Math.round(amount * 1_000_000))
}

/** A point in time with its zone, as milliseconds since 1970. */
export function moment(): z.ZodType<number, string> {
  const error = expects('a date and time with its zone, such as 2027-01-01T00:00:00Z')
  return z.iso
    .datetime({ offset: true, error, abort: true })
    .refine((written) => Number.isFinite(Date.parse(written)), { error })
    .transform((written) => Date.parse(written))
}

export function whole(min: number, max: number): z.ZodType<number, number> {
  const error = expects(`a whole number from ${min} to ${max}`)
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** Text that is not empty. */
export function text(charsMax: number = 1_000_000): z.ZodType<string, string> {
  return z
    .string({ error: expects('text') })
    .min(1, { error: 'it is empty: write some text, or remove the key' })
    .max(charsMax, { error: `it is over ${charsMax} characters: make it shorter` })
}

/** Text of one form. */
export function form(pattern: RegExp, what: string): z.ZodType<string, string> {
  const error = expects(what)
  return z.string({ error }).regex(pattern, { error })
}

const listItemsMax = 1000

export function list<T, I>(
  item: z.ZodType<T, I>,
  what: string,
  { min = 0, max = listItemsMax }: { readonly min?: number; readonly max?: number } = {},
): z.ZodType<readonly T[], I[]> {
  return z
    .array(item, { error: expects(what) })
    .min(min, { error: `the list is empty: expected ${what}` })
    .max(max, { error: `the list has over ${max} entries: remove some` })
}

/** Names and what each stands for. */
export function table<T, I>(
  name: z.ZodType<string, string>,
  value: z.ZodType<T, I>,
  what: string,
  max: number,
): z.ZodType<Record<string, T>, Record<string, I>> {
  return z
    .record(name, value, { error: expects(what) })
    .refine((record) => Object.keys(record).length <= max, {
      error: `it has over ${max} entries: remove some`,
    })
}

/** Of a file or a folder, from the top of the workspace; nothing in it is expanded. */
export const innerPath = (what: string): z.ZodType<string, string> =>
  form(/^(?!\/|~|\.{1,2}\/?$)(?!(?:.*\/)?\.\.(?:\/|$))[ -)+->@-~\u00a0-\uffff]{1,1000}$/, what)

export const environmentName = (): z.ZodType<string, string> =>
  form(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    'the name of an environment variable, such as ANTHROPIC_API_KEY',
  )

/** Of variables that somebody is given. */
export const environmentNames = (
  whose: string,
): z.ZodType<readonly string[], string[] | undefined> =>
  key(
    list(environmentName(), 'a list of names of environment variables', { max: 100 }).prefault([]),
    `Names of environment variables that ${whose} is given. It sees no others but the usual ones, such as PATH.`,
    ['ANTHROPIC_API_KEY'],
  )

export const toolName = (): z.ZodType<string, string> =>
  form(
    /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
    'the name of a tool, such as read or, of an MCP server, files__read_file',
  )

export const webAddress = (): z.ZodType<string, string> =>
  form(
    /^https?:\/\/(?:\[[0-9a-fA-F:.]+\]|[^\s/?#@:[\]]+)(?::\d{1,5})?(?:[/?#]\S*)?$/,
    'an address that begins with http:// or https:// and holds no password',
  )

const defaultPort = 443
const hostLabel = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
/** The last part begins with a letter, so that no way of writing an address is a name. */
const hostPattern = new RegExp(
  `^(?:\\*\\.)?(?:${hostLabel}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?::[1-9]\\d{0,4})?$`,
)

/** A name of the internet and a port, in small letters: `name:port`. */
export function publicHost(): z.ZodType<string, string> {
  const error = expects(
    'the name of a public host, with its port unless that is 443, such as registry.npmjs.org or *.example.com:8443',
  )
  return z
    .string({ error })
    .max(260, { error, abort: true })
    .regex(hostPattern, { error, abort: true })
    .refine((written) => Number(written.split(':')[1] ?? defaultPort) < 65_536, { error })
    .transform((written) => {
      const name = written.toLowerCase()
      return name.includes(':') ? name : `${name}:${defaultPort}`
    })
}

export const program = (): z.ZodType<readonly string[], string[]> =>
  list(
    z.string({ error: expects('text (put it in quotes)') }),
    'a list of a program and its arguments',
    {
      min: 1,
    },
  ).refine((parts) => parts[0] !== '', {
    path: [0],
    error: 'the program is empty: write its name or path',
  })
