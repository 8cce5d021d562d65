/**
 * Parses loop files. Any text yields a loop file, or a `LoopFileError` with the position and reason of each problem; as
 * many as possible are reported at once.
 */

import { basename } from 'node:path'
import type { Json } from '../../loop/index.ts'
import { type LoopTypeDefinition, loopTypes } from '../../loops/index.ts'
import {
  type CheckedLoopFile,
  checkLoopFile,
  defaultLoopType,
  type FileProblem,
  isJsonObject,
  type JsonObject,
  type LoopFile,
  type PromptSection,
  unknownName,
} from '../../protocol/index.ts'
import { withDefaultKeys } from '../config/loop-defaults.ts'
import { LoopFileError, type LoopFileProblem, pathName } from './loop-file-error.ts'
import { type Position, readSource, type SourceText } from './source-text.ts'
import { offsetOf, type Place } from './yaml-nodes.ts'
import { readYaml } from './yaml-values.ts'

export interface ParsedLoopFile {
  readonly file: LoopFile
  readonly type: LoopTypeDefinition
  /** The prompts of the file, by key. */
  readonly prompts: Readonly<Record<string, readonly PromptSection[]>>
  /** The position of a value, or of the nearest value that contains it. */
  positionOf(path: readonly PropertyKey[]): Position
  /** By key and section: where its template starts, if it is in the file itself. */
  readonly templates: Readonly<Record<string, Readonly<Record<string, Position>>>>
}

export interface ParseOptions {
  /** Deadlines before this time are refused. */
  readonly nowMs?: number
  /** The loop types that a file can name; default: the built-in ones. */
  readonly types?: readonly LoopTypeDefinition[]
  /** Keys by loop type that apply where the file does not have them. */
  readonly defaults?: { readonly [loopType: string]: JsonObject }
}

export async function parseLoopFile(
  content: string | Uint8Array,
  file: string,
  options: ParseOptions = {},
): Promise<ParsedLoopFile> {
  const read = readSource(content)
  if (read.type === 'refused') {
    throw new LoopFileError(file, [{ file, path: 'the file', ...read.problem }])
  }
  const yaml = await import('yaml')
  const { value, place, problems } = readYaml(yaml, read.source)
  const fail = (found: readonly LoopFileProblem[]): never => {
    throw new LoopFileError(file, inOrder(found))
  }
  if (problems.length > 0) {
    fail(
      problems.map(({ at, path, reason }) => ({
        file,
        ...read.source.positionAt(at),
        path: pathName(path),
        reason,
      })),
    )
  }
  const positionOf = (path: readonly PropertyKey[], atKey = false): Position =>
    read.source.positionAt(offsetOf(place, path, atKey))
  const result = check(value, options)
  if ('problems' in result) {
    return fail(
      result.problems.map(({ path, reason, atKey }) => ({
        file,
        ...positionOf(path, atKey),
        path: pathName(path),
        reason,
      })),
    )
  }
  const { type } = result
  const prompts = type.prompts?.(result.file.settings) ?? {}
  return {
    file: { ...result.file, name: result.file.name ?? nameFrom(file) },
    type,
    prompts,
    positionOf,
    templates: Object.fromEntries(
      Object.entries(prompts).map(([key, sections]) => [
        key,
        templatesOf(key, sections, { value, place, source: read.source }),
      ]),
    ),
  }
}

type Checked =
  | {
      readonly file: Extract<CheckedLoopFile, { type: 'file' }>['file']
      readonly type: LoopTypeDefinition
    }
  | { readonly problems: readonly FileProblem[] }

function check(
  value: Json,
  { nowMs = Date.now(), types = loopTypes, defaults = {} }: ParseOptions,
): Checked {
  if (value === null) {
    const reason = 'it is empty: a loop file needs at least prompt, agent and checks'
    return { problems: [{ path: [], reason }] }
  }
  if (!isJsonObject(value)) {
    const what = Array.isArray(value) ? 'a list' : 'a single value'
    return { problems: [{ path: [], reason: `expected keys and values, found ${what}` }] }
  }
  const name = value['loop'] ?? defaultLoopType
  const type = types.find((one) => one.name === name)
  if (type === undefined) {
    const known = types.map((one) => one.name)
    const reason =
      typeof name === 'string'
        ? unknownName('loop type', name, known)
        : `expected the name of a loop type: ${known.join(', ')}`
    return { problems: [{ path: ['loop'], reason }] }
  }
  const checked = checkLoopFile(withDefaultKeys(value, defaults[type.name]), type, { nowMs })
  return checked.type === 'file' ? { file: checked.file, type } : checked
}

function inOrder(problems: readonly LoopFileProblem[]): LoopFileProblem[] {
  const unique = new Map(
    problems.map((problem) => [`${problem.line}:${problem.path}:${problem.reason}`, problem]),
  )
  return [...unique.values()].toSorted((a, b) => a.line - b.line || a.column - b.column)
}

function placeOf(place: Place, path: readonly PropertyKey[]): Place | undefined {
  let current: Place | undefined = place
  for (const key of path) {
    current =
      typeof key === 'number' ? current?.items?.[key] : current?.keys?.get(String(key))?.place
  }
  return current
}

interface Source {
  readonly value: Json
  readonly place: Place
  readonly source: SourceText
}

function templatesOf(
  key: string,
  sections: readonly PromptSection[],
  { value, place, source }: Source,
): Record<string, Position> {
  const isList = isJsonObject(value) && Array.isArray(value[key])
  const entries = sections.flatMap((section, index): [string, Position][] => {
    if (!('text' in section)) return []
    const found = placeOf(place, isList ? [key, index, 'text'] : [key])
    return found === undefined ? [] : [[section.name, textPosition(found, source)]]
  })
  return Object.fromEntries(entries)
}

/** The position of the first character of a text. A block starts on the line after its indicator. */
function textPosition({ at, block }: Place, source: SourceText): Position {
  const { text } = source
  if (block !== true) {
    const isQuoted = text[at] === '"' || text[at] === "'"
    return source.positionAt(isQuoted ? at + 1 : at)
  }
  const lineEnd = text.indexOf('\n', at)
  const begin = lineEnd === -1 ? text.length : lineEnd + 1
  const [, blank = '', indent = ''] = /^((?:[ \t]*\r?\n)*)( *)/.exec(text.slice(begin)) ?? []
  const first = source.positionAt(begin)
  return { line: first.line, column: blank === '' || indent !== '' ? indent.length + 1 : 1 }
}

/** `fix-sum` of `loops/fix-sum.loop.yaml`. */
function nameFrom(file: string): string {
  const name = basename(file)
    .replace(/\.(?:ya?ml|json|[cm]?[jt]s)$/i, '')
    .replace(/\.loop$/i, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100)
  return name === '' ? 'loop' : name
}
