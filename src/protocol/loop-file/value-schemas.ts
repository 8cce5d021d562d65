/**
 * The schemas of the values in a loop file, each with an error message for its author. Functions, not
 * constants: the description of a key is attached to its schema, so no two keys may share one.
 */

import { z } from 'zod'
import { durationPattern, parseDuration } from '../../loop/index.ts'
import { describeValue } from './issue-problems.ts'

/** What editors show for a key. `id` makes it a separate part of the published schema. */
export interface KeyDescription {
  readonly id?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
}

export const describedKeys: z.core.$ZodRegistry<KeyDescription> = z.registry<KeyDescription>()

/** Describes a key. The schema must not be used for another key. */
export function key<S extends z.ZodType>(
  schema: S,
  description: string,
  ...examples: unknown[]
): S {
  describedKeys.add(schema, examples.length === 0 ? { description } : { description, examples })
  return schema
}

interface Raw {
  readonly input?: unknown
}

/** The message for any invalid value. */
export const expects =
  (what: string) =>
  ({ input }: Raw): string =>
    input === undefined
      ? `it is missing: expected ${what}`
      : `expected ${what}, found ${describeValue(input)}`

/**
 * Refuses unknown keys. The message lists what a key is called here and the known keys, from which the
 * nearest name is found.
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

/** NaN if the text is not a duration. */
const durationMs = (written: string): number => parseDuration(written) ?? Number.NaN

/** Slightly below what timers support. */
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

/** NaN if the text is not a size. */
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

export function integer(min: number, max: number): z.ZodType<number, number> {
  const error = expects(`a whole number from ${min} to ${max}`)
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** A part of a whole. */
export function share(min: number, max: number): z.ZodType<number, number> {
  const error = expects(`a number from ${min} to ${max}`)
  return z.number({ error }).min(min, { error }).max(max, { error })
}

/** Text, not empty. */
export function text(charsMax: number = 1_000_000): z.ZodType<string, string> {
  return z
    .string({ error: expects('text') })
    .min(1, { error: 'it is empty: write some text, or remove the key' })
    .max(charsMax, { error: `it is longer than ${charsMax} characters: shorten it` })
}

/** Text that matches a pattern. */
export function matching(pattern: RegExp, what: string): z.ZodType<string, string> {
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
    .max(max, { error: `the list has more than ${max} entries: remove some` })
}

/** Names and their values. */
export function table<T, I>(
  name: z.ZodType<string, string>,
  value: z.ZodType<T, I>,
  what: string,
  max: number,
): z.ZodType<Record<string, T>, Record<string, I>> {
  return z
    .record(name, value, { error: expects(what) })
    .refine((record) => Object.keys(record).length <= max, {
      error: `it has more than ${max} entries: remove some`,
    })
}

/** The path of a file or folder, from the top of the workspace; nothing in it is expanded. */
export const innerPath = (what: string): z.ZodType<string, string> =>
  matching(/^(?!\/|~|\.{1,2}\/?$)(?!(?:.*\/)?\.\.(?:\/|$))[ -)+->@-~\u00a0-\uffff]{1,1000}$/, what)

export const environmentName = (): z.ZodType<string, string> =>
  matching(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    'the name of an environment variable, such as ANTHROPIC_API_KEY',
  )

/** Names of variables that are passed to a program. */
export const environmentNames = (
  receiver: string,
): z.ZodType<readonly string[], string[] | undefined> =>
  key(
    list(environmentName(), 'a list of names of environment variables', { max: 100 }).prefault([]),
    `Environment variables to pass to ${receiver}, by name. It gets no others except the usual ones, such as PATH.`,
    ['ANTHROPIC_API_KEY'],
  )

export const toolName = (): z.ZodType<string, string> =>
  matching(
    /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
    'a tool name, such as read or, for a tool of an MCP server, files__read_file',
  )

export const webAddress = (): z.ZodType<string, string> =>
  matching(
    /^https?:\/\/(?:\[[0-9a-fA-F:.]+\]|[^\s/?#@:[\]]+)(?::\d{1,5})?(?:[/?#]\S*)?$/,
    'an address that starts with http:// or https:// and contains no password',
  )

const defaultPort = 443
const hostLabel = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
/** The last label starts with a letter, so that no notation of an IP address matches. */
const hostPattern = new RegExp(
  `^(?:\\*\\.)?(?:${hostLabel}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?::[1-9]\\d{0,4})?$`,
)

/** A DNS name and a port, in lower case: `name:port`. */
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
