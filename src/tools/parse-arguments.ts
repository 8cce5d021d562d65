/**
 * Checks arguments against a tool's schema. Agents learn from the message, so it says where the
 * problem is, what was expected and what was given, and suggests the parameter that was probably
 * meant.
 */

import { z } from 'zod'
import { suggestName } from '../loop/index.ts'
import { createSchemaCheck } from './schema-check.ts'
import type { JsonSchema, Tool, ToolArgs } from './tool.ts'

export type ParseResult =
  | { readonly ok: true; readonly args: ToolArgs }
  | { readonly ok: false; readonly message: string }

export interface Parser {
  parse(args: unknown): Promise<ParseResult>
  /** For callers: the schema that the model sees. */
  readonly schema: JsonSchema
}

const issuesMax = 10
const shownCharsMax = 80
const namesShownMax = 30

/** Throws if the schema is invalid. */
export function createParser({ name, parameters }: Tool): Parser {
  const isZod = isZodSchema(parameters)
  const own = isZod ? strict(parameters) : undefined
  const schema = own ?? createSchemaCheck(parameters as JsonSchema)
  // Computed on demand: most agents never see our tools.
  let modelSchema: JsonSchema | undefined
  const described = (): JsonSchema => {
    modelSchema ??= own === undefined ? (parameters as JsonSchema) : describe(own)
    return modelSchema
  }
  return {
    get schema() {
      return described()
    },
    async parse(args) {
      const result = await schema.safeParseAsync(args)
      // A foreign schema only checks: the tool gets the original arguments.
      if (result.success) return { ok: true, args: (isZod ? result.data : args) as ToolArgs }
      const { issues } = result.error
      const names = readPropertyNames(described())
      const lines = issues.slice(0, issuesMax).flatMap((issue) => explain(issue, args, names))
      const more = issues.length > issuesMax ? [`${issues.length - issuesMax} more problems.`] : []
      const head = `The arguments of ${name} are wrong. Correct them and call it again.`
      return { ok: false, message: [head, ...lines.map((line) => `- ${line}`), ...more].join('\n') }
    },
  }
}

/** By a property that JSON cannot contain: foreign schemas may have any keys. */
export const isZodSchema = (parameters: Tool['parameters']): parameters is z.ZodObject =>
  '_zod' in parameters && typeof parameters['safeParseAsync'] === 'function'

/** An unknown key is usually a typo; a schema that allows them says so. */
function strict(schema: z.ZodObject): z.ZodObject {
  return schema.def.catchall === undefined ? schema.strict() : schema
}

function describe(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  })
  return described as JsonSchema
}

function readPropertyNames(schema: JsonSchema): readonly string[] {
  const properties = schema['properties']
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

function explain(issue: z.core.$ZodIssue, args: unknown, names: readonly string[]): string[] {
  const where = pathText(issue.path)
  const given = valueAt(args, issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return explainKeys(issue.keys, where, issue.path.length === 0 ? names : [])
    case 'invalid_type':
      return [`${where}: expected ${withArticle(issue.expected)}, given ${describeValue(given)}`]
    case 'invalid_value': {
      const values = issue.values.slice(0, namesShownMax).map(describeValue).join(', ')
      const texts = issue.values.filter((value) => typeof value === 'string')
      const meant = typeof given === 'string' ? suggestName(given, texts) : ''
      return [`${where}: expected one of ${values}; given ${describeValue(given)}.${meant}`]
    }
    case 'invalid_union':
      return explainUnion(issue, args, names)
    case 'invalid_key':
    case 'invalid_element':
    case 'too_big':
    case 'too_small':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'custom':
      return [`${where}: ${issue.message}; given ${describeValue(given)}`]
  }
}

/** The types that would match, or the problems of the alternative that matches best. */
function explainUnion(
  issue: z.core.$ZodIssueInvalidUnion,
  args: unknown,
  names: readonly string[],
): string[] {
  const types = issue.errors.map(([first, second]) =>
    first?.code === 'invalid_type' && first.path.length === 0 && second === undefined
      ? withArticle(first.expected)
      : undefined,
  )
  const where = pathText(issue.path)
  const given = describeValue(valueAt(args, issue.path))
  if (types.length > 0 && !types.includes(undefined)) {
    return [`${where}: expected ${types.join(' or ')}, given ${given}`]
  }
  const [best] = issue.errors.toSorted((a, b) => a.length - b.length)
  if (best === undefined || best.length === 0) return [`${where}: nothing fits ${given}`]
  return best
    .slice(0, issuesMax)
    .flatMap((part) => explain({ ...part, path: [...issue.path, ...part.path] }, args, names))
}

function explainKeys(keys: readonly string[], where: string, names: readonly string[]): string[] {
  const place = where === 'arguments' ? '' : ` of ${where}`
  const lines = keys
    .slice(0, issuesMax)
    .map((key) => `${describeValue(key)} is not a parameter${place}.${suggestName(key, names)}`)
  if (keys.length > issuesMax) lines.push(`${keys.length - issuesMax} more names are unknown.`)
  const known = names.slice(0, namesShownMax).join(', ')
  return names.length === 0 ? lines : [...lines, `The parameters are: ${known}.`]
}

const withArticle = (type: string): string =>
  type === 'int'
    ? 'a whole number'
    : type === 'null'
      ? 'null'
      : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

/** `edits[3].old`; `arguments` for all of them. */
function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'arguments'
  const text = path
    .slice(0, 20)
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part).slice(0, 100)}`))
    .join('')
  return text.replace(/^\./, '')
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = (found as Record<PropertyKey, unknown>)[part]
  }
  return found
}

/** A short description of any value. */
function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing'
    case 'string':
      return value.length <= shownCharsMax
        ? JSON.stringify(value)
        : `${JSON.stringify(value.slice(0, shownCharsMax))}… (${value.length} characters)`
    case 'number':
    case 'boolean':
      return `the ${typeof value} ${value}`
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return `a list of ${value.length}`
      return `an object with ${Object.keys(value).length} keys`
    default:
      return `a ${typeof value}`
  }
}
