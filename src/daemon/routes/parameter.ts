/** A parameter in a path, query or header: parses text into a value, or refuses it with a reason. */

export interface Parameter<T> {
  readonly description: string
  /** Its schema in the OpenAPI document. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: string | number | boolean
  readonly required: boolean
  read(text: string): Read<T>
  /** The default. */
  readonly absent: T
}

export type Read<T> = { readonly value: T } | { readonly reason: string }

export type Parameters = Readonly<Record<string, Parameter<unknown>>>

/** The parsed values by name. */
export type Values<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never
}

interface ParameterOptions<T> {
  readonly description: string
  readonly example: T
}

export interface TextOptions extends ParameterOptions<string> {
  readonly max: number
  readonly pattern?: RegExp
}

export function text(options: TextOptions): Parameter<string | undefined> {
  const { description, example, max, pattern } = options
  return {
    description,
    example,
    required: false,
    absent: undefined,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: max,
      ...(pattern === undefined ? {} : { pattern: pattern.source }),
    },
    read(given) {
      if (given === '') return { reason: 'it is empty' }
      // As JSON Schema counts.
      if (given.length > max && Array.from(given).length > max) {
        return { reason: `it is longer than ${max} characters` }
      }
      if (pattern !== undefined && !pattern.test(given)) {
        return { reason: `it does not match the pattern, such as ${example}` }
      }
      return { value: given }
    },
  }
}

export interface WholeOptions extends ParameterOptions<number> {
  readonly min?: number
  readonly max: number
}

export function whole({
  description,
  example,
  min = 0,
  max,
}: WholeOptions): Parameter<number | undefined> {
  return {
    description,
    example,
    required: false,
    absent: undefined,
    schema: { type: 'integer', minimum: min, maximum: max },
    read(given) {
      const value = /^(0|[1-9]\d{0,15})$/.test(given) ? Number(given) : undefined
      if (value !== undefined && value >= min && value <= max) return { value }
      return { reason: `it is not a whole number from ${min} to ${max}` }
    },
  }
}

export function oneOf<const T extends string>(
  choices: readonly T[],
  { description, example }: ParameterOptions<T>,
): Parameter<T | undefined> {
  return {
    description,
    example,
    required: false,
    absent: undefined,
    schema: { type: 'string', enum: choices },
    read(given) {
      const value = choices.find((choice) => choice === given)
      return value === undefined ? { reason: `it is not one of ${choices.join(', ')}` } : { value }
    },
  }
}

export const flag = (description: string): Parameter<boolean> => ({
  description,
  example: true,
  required: false,
  absent: false,
  schema: { type: 'boolean', default: false },
  read(given) {
    if (given === 'true' || given === 'false') return { value: given === 'true' }
    return { reason: 'it is neither true nor false' }
  },
})

/** A parameter with a default. */
export const orElse = <T>(parameter: Parameter<T | undefined>, value: T): Parameter<T> => ({
  ...parameter,
  schema: { ...parameter.schema, default: value },
  absent: value,
  read: (given) => narrowed(parameter.read(given), value),
})

/** A required parameter, as all in a path are. */
export const required = <T>(parameter: Parameter<T | undefined>, example: T): Parameter<T> => ({
  ...parameter,
  required: true,
  absent: example,
  read: (given) => narrowed(parameter.read(given), example),
})

const narrowed = <T>(read: Read<T | undefined>, value: T): Read<T> =>
  'reason' in read ? read : { value: read.value ?? value }
