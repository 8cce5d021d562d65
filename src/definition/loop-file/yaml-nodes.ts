/**
 * Converts the nodes of a YAML document to plain values with positions. Accepts only what JSON can represent: no tags,
 * merge keys, keys other than strings, dates, or numbers that lose precision.
 *
 * 1. The number of values is limited. Values behind an alias count each time it is used.
 * 2. A value that an alias repeats is shared, never copied.
 */

import type * as Yaml from 'yaml'
import type { Json } from '../../loop/index.ts'
import { quoted } from '../../protocol/index.ts'

export type YamlModule = typeof Yaml

/** The position of a value, and of the values in it. */
export interface Place {
  readonly at: number
  /** The text is a block after `|` or `>`, and `at` is the offset of that indicator. */
  readonly block?: true
  readonly keys?: ReadonlyMap<string, { readonly at: number; readonly place: Place }>
  readonly items?: readonly Place[]
}

export interface YamlProblem {
  readonly at: number
  readonly path: readonly PropertyKey[]
  readonly reason: string
}

export interface YamlValue {
  readonly value: Json
  readonly place: Place
  readonly problems: readonly YamlProblem[]
}

export const depthMax: number = 64
export const tooDeep: string = `it is nested over ${depthMax} levels deep: make it flatter`

const valuesMax = 20_000
const problemsMax = 100

export function readNodes(yaml: YamlModule, root: Yaml.Node): YamlValue {
  const reading: Reading = { yaml, problems: [], anchors: new Map(), values: 0 }
  const { value, place } = readNode(reading, root, [], 0)
  return { value, place, problems: reading.problems }
}

/** The offset of a value, or of the nearest value that contains it; with `atKey`, of its key. */
export function offsetOf(place: Place, path: readonly PropertyKey[], atKey: boolean): number {
  let current = place
  for (const [index, key] of path.entries()) {
    if (typeof key === 'number') {
      const item = current.items?.[key]
      if (item === undefined) return current.at
      current = item
    } else {
      const entry = current.keys?.get(String(key))
      if (entry === undefined) return current.at
      if (atKey && index === path.length - 1) return entry.at
      current = entry.place
    }
  }
  return current.at
}

interface Reading {
  readonly yaml: YamlModule
  readonly problems: YamlProblem[]
  /** Only complete nodes, so that no alias can refer to a node that contains it. */
  readonly anchors: Map<string, Read>
  values: number
}

interface Read {
  readonly value: Json
  readonly place: Place
  /** The number of values in it, including itself. */
  readonly size: number
}

type Path = readonly PropertyKey[]

const empty = (at: number): Read => ({ value: null, place: { at }, size: 1 })

function refuse({ problems }: Reading, at: number, path: Path, reason: string): Read {
  if (problems.length < problemsMax) problems.push({ at, path, reason })
  return empty(at)
}

function readNode(reading: Reading, node: unknown, path: Path, after: number): Read {
  const { yaml, anchors } = reading
  if (!yaml.isNode(node)) return empty(after)
  const at = node.range?.[0] ?? after
  // One problem is enough; the rest of the document is skipped.
  if (reading.values > valuesMax) return empty(at)
  reading.values++
  if (reading.values > valuesMax) {
    return refuse(reading, at, path, `there are over ${valuesMax} values: use fewer`)
  }
  if (path.length > depthMax) return refuse(reading, at, path, tooDeep)
  if (yaml.isAlias(node)) return readAlias(reading, node.source, path, at)
  if (node.tag !== undefined) {
    const tag = node.tag.replace(/^tag:yaml\.org,2002:/, '!!')
    return refuse(reading, at, path, `the tag ${quoted(tag)} is not allowed: remove it`)
  }
  const read = readKind(reading, node, path, at)
  if ('anchor' in node && node.anchor !== undefined) anchors.set(node.anchor, read)
  return read
}

function readAlias(reading: Reading, name: string, path: Path, at: number): Read {
  const target = reading.anchors.get(name)
  if (target === undefined) {
    const reason = `*${name} has no &${name} before it: add that, or write the value here`
    return refuse(reading, at, path, reason)
  }
  reading.values += target.size - 1
  if (reading.values > valuesMax) {
    const reason = `with aliases expanded there are over ${valuesMax} values: use fewer`
    return refuse(reading, at, path, reason)
  }
  return { ...target, place: { ...target.place, at } }
}

function readKind(reading: Reading, node: Yaml.Node, path: Path, at: number): Read {
  const { yaml } = reading
  if (yaml.isMap(node)) return readMap(reading, node, path, at)
  if (yaml.isSeq(node)) return readList(reading, node, path, at)
  return yaml.isScalar(node) ? readScalar(reading, node, path, at) : empty(at)
}

function readList(reading: Reading, node: Yaml.YAMLSeq, path: Path, at: number): Read {
  const read = node.items.map((item, index) => readNode(reading, item, [...path, index], at))
  return {
    value: read.map(({ value }) => value),
    place: { at, items: read.map(({ place }) => place) },
    size: read.reduce((sum, { size }) => sum + size, 1),
  }
}

function readMap(reading: Reading, node: Yaml.YAMLMap, path: Path, at: number): Read {
  const value: Record<string, Json> = {}
  const keys = new Map<string, { at: number; place: Place }>()
  let size = 1
  for (const { key, value: item } of node.items) {
    const keyAt = reading.yaml.isNode(key) ? (key.range?.[0] ?? at) : at
    const { text, problem = nameProblem(text, keys) } = readKey(reading, key)
    if (problem !== undefined) {
      refuse(reading, keyAt, [...path, text], problem)
      continue
    }
    const read = readNode(reading, item, [...path, text], keyAt)
    size += read.size
    value[text] = read.value
    keys.set(text, { at: keyAt, place: read.place })
  }
  return { value, place: { at, keys }, size }
}

interface Key {
  readonly text: string
  readonly problem?: string
}

function readKey({ yaml }: Reading, key: unknown): Key {
  if (!yaml.isScalar(key)) {
    return {
      text: '?',
      problem: 'a key must be text: lists, aliases and maps as keys are not allowed',
    }
  }
  const { value, source } = key
  if (key.tag !== undefined || key.anchor !== undefined) {
    const text = typeof value === 'string' ? value : '?'
    return { text, problem: 'a key cannot have a tag or an anchor: remove it' }
  }
  if (typeof value === 'string') return { text: value }
  if (value === null) return { text: '?', problem: 'the key is missing before the colon' }
  const text = source ?? '?'
  return { text, problem: `a key must be text: put ${quoted(text)} in quotes` }
}

function readScalar(reading: Reading, node: Yaml.Scalar, path: Path, at: number): Read {
  const { value, source = '' } = node
  const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
  const place: Place = isBlock ? { at, block: true } : { at }
  switch (typeof value) {
    case 'string': {
      const problem = textProblem(value)
      return problem === undefined ? { value, place, size: 1 } : refuse(reading, at, path, problem)
    }
    case 'number': {
      const isKept = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)
      if (isKept) return { value: value === 0 ? 0 : value, place, size: 1 }
      const reason = `the number ${quoted(source)} cannot be represented: put it in quotes`
      return refuse(reading, at, path, reason)
    }
    case 'boolean':
      return { value, place, size: 1 }
    default:
      return { value: null, place, size: 1 }
  }
}

function nameProblem(name: string, known: ReadonlyMap<string, unknown>): string | undefined {
  if (known.has(name)) return 'the key is duplicated: remove one'
  if (name === '<<') return 'merge keys are not allowed: write the keys out'
  if (name === '__proto__') return 'this key is not allowed: use another name'
  return textProblem(name)
}

/** Such text can neither be passed to a program nor be written to a file unchanged. */
function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'the text contains a NUL character: remove it'
  return /\p{Cs}/u.test(text)
    ? 'the text contains half a character (a lone surrogate): remove it'
    : undefined
}
