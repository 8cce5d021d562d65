/**
 * Liquid as prompts need it: a language that only computes text from values.
 *
 * L1. A template reaches only its values: no files, no code, no prototypes, no clock, no
 *     randomness. The same template and values always give the same text.
 * L2. Everything is limited: the template, the work, intermediate values and the output.
 *
 * Filters and tags are an allow-list, so that a new version of the library cannot add any
 * unnoticed.
 */

import type { Context, FilterImplOptions, Liquid, Template, Variable } from 'liquidjs'
import { textOf } from '../loop/index.ts'
import { findItemUses, type Use } from './template-items.ts'

export const templateCharsMax: number = 256 * 1024
/** Of the text inside braces: the work grows with it. */
export const tagCharsMax: number = 16 * 1024
/** For each variable the library scans the text before it. */
export const tagCharsTimesCharsMax = 500_000_000
/** Characters and items that one rendering may create, including its output. */
export const outputMax: number = 8 * 1024 * 1024
const blocksMax = 200_000
const itemsMax = 200_000
/** The last resort, far above what the other limits allow. */
const renderMsMax = 10_000

const builtInFilters = [
  'abs at_least at_most ceil divided_by floor minus modulo plus round times to_integer',
  'join last first reverse sort sort_natural size map sum compact concat push unshift pop shift',
  'slice where reject group_by has find find_index uniq',
  'append prepend lstrip rstrip strip downcase upcase capitalize remove remove_first remove_last',
  'replace replace_first replace_last split strip_newlines squish truncate truncatewords',
  'normalize_whitespace number_of_words array_to_sentence_string',
  'escape escape_once unescape strip_html newline_to_br',
  'url_encode url_decode slugify base64_encode base64_decode sha256 default json raw',
].flatMap((line) => line.split(' '))

const builtInTags = [
  'assign capture echo liquid raw comment #',
  'if unless case for break continue cycle increment decrement',
].flatMap((line) => line.split(' '))

export interface Engine {
  readonly filters: readonly string[]
  readonly tags: readonly string[]
  parse(text: string): Template[]
  /** The variables that it expects, in the order of the text, without those that it defines. */
  inputs(template: Template[]): readonly Variable[]
  /** The properties that it expects of items of those variables. */
  items(template: Template[], inputs: readonly Variable[]): readonly Use[]
  render(template: Template[], values: object): string
}

let loaded: Promise<Engine> | undefined

/** For all templates: it keeps nothing of one. The library is loaded only if there is a template. */
export function loadEngine(): Promise<Engine> {
  loaded ??= createEngine()
  return loaded
}

async function createEngine(): Promise<Engine> {
  const library = await import('liquidjs')
  const liquid = new library.Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    lenientIf: false,
    relativeReference: false,
    dynamicPartials: false,
    // Templates cannot include others.
    templates: {},
    parseLimit: templateCharsMax,
    memoryLimit: outputMax,
    renderLimit: renderMsMax,
  })
  for (const name of Object.keys(liquid.filters)) {
    const filter = liquid.filters[name]
    if (filter !== undefined && builtInFilters.includes(name)) {
      liquid.registerFilter(name, limitFilter(filter))
    } else liquid.unregisterFilter(name)
  }
  for (const [name, filter] of Object.entries(ownFilters)) liquid.registerFilter(name, filter)
  for (const name of Object.keys(liquid.tags)) {
    if (!builtInTags.includes(name)) delete liquid.tags[name]
  }
  const resetBlocks = limitBlocks(liquid)
  return {
    filters: Object.keys(liquid.filters),
    tags: builtInTags,
    parse: (text) => liquid.parse(text),
    inputs(template) {
      const { globals } = liquid.analyzeSync(template, { partials: false })
      return Object.values(globals).flat().toSorted(byLocation)
    },
    items: (template, inputs) => findItemUses(library, template, inputs),
    render(template, values) {
      resetBlocks()
      const made: unknown = liquid.renderSync(template, values)
      return typeof made === 'string' ? made : toText(made)
    },
  }
}

const byLocation = ({ location: a }: Variable, { location: b }: Variable): number =>
  a.row - b.row || a.col - b.col

/** Counts blocks, and charges everything that is written to the prompt or to a variable. */
function limitBlocks(liquid: Liquid): () => void {
  let blocks = 0
  const { renderer } = liquid
  const renderTemplates = renderer.renderTemplates.bind(renderer)
  renderer.renderTemplates = (templates, context, emitter) => {
    if (++blocks > blocksMax) throw new Error(`it loops more than ${blocksMax} times`)
    return renderTemplates(templates, context, emitter ?? createLimitedEmitter(context))
  }
  return () => {
    blocks = 0
  }
}

function createLimitedEmitter(context: Context): { buffer: string; write(value: unknown): void } {
  const emitter = {
    buffer: '',
    write(value: unknown): void {
      const text = toText(value)
      context.memoryLimit.use(text.length)
      emitter.buffer += text
    },
  }
  return emitter
}

/**
 * Lists are concatenated, as Liquid does; objects, for which Liquid has no text, are shown as JSON.
 */
function toText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'object':
      if (value === null) return ''
      return Array.isArray(value) ? value.map(toText).join('') : JSON.stringify(value)
    default:
      return ''
  }
}

type Handler = Extract<FilterImplOptions, (...args: never) => unknown>

/**
 * The library charges filters for text. A list that contains one list many times is small to create
 * and endless to write, so the result of a filter is measured as if it were written.
 */
function limitFilter(filter: FilterImplOptions): FilterImplOptions {
  const handler: Handler = typeof filter === 'function' ? filter : filter.handler
  const bounded: Handler = function (value: unknown, ...args: unknown[]) {
    if (Array.isArray(value) && value.length > itemsMax) throw createLimitError()
    const made: unknown = handler.call(this, value, ...args)
    return isGenerator(made) ? limitSteps(made) : requireWithinLimits(made)
  }
  return typeof filter === 'function' ? bounded : { ...filter, handler: bounded }
}

const isGenerator = (value: unknown): value is Generator =>
  typeof value === 'object' && value !== null && 'next' in value && 'throw' in value

function* limitSteps(steps: Generator): Generator {
  try {
    return requireWithinLimits(yield* steps)
  } catch (error) {
    // The position refers to the argument of the filter, not to the template.
    const message = textOf(error)
      .replace(/, line:\d+, col:\d+$/, '')
      .replace(/^undefined variable: (.*)$/s, 'an item of the list has no part "$1"')
    throw new Error(message, { cause: error })
  }
}

function requireWithinLimits<T>(made: T): T {
  if (typeof made !== 'object') return made
  let items = 0
  let chars = 0
  const pending: unknown[] = [made]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'string') chars += value.length
    if (typeof value === 'object' && value !== null) {
      // One by one: a list may be too long to be spread.
      for (const part of Object.values(value)) pending.push(part)
    }
    if (++items > itemsMax || chars > outputMax || pending.length > itemsMax)
      throw createLimitError()
  }
  return made
}

const createLimitError = (): Error =>
  new Error(`a filter returns or receives more than ${itemsMax} items or ${outputMax} characters`)

const nameBytesMax = 200

const ownFilters: Readonly<Record<string, (value: unknown) => string>> = {
  sanitize: (value) => sanitize(toText(value)),
  snake_case: (value) => splitWords(toText(value)).join('_').toLowerCase(),
}

/**
 * Turns a name, such as that of a branch, into one path component: `run/fix-it` becomes
 * `run-fix-it`. Letters, digits, `.`, `_` and `-` stay; the result is never empty, hidden or a
 * parent reference.
 */
export function sanitize(name: string): string {
  const safe = name
    .slice(0, 10 * nameBytesMax)
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[-.]+/, '')
  let kept = ''
  let bytes = 0
  for (const character of safe) {
    bytes += Buffer.byteLength(character)
    if (bytes > nameBytesMax) break
    kept += character
  }
  return kept.replace(/[-.]+$/, '') || 'unnamed'
}

const splitWords = (text: string): readonly string[] =>
  text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
