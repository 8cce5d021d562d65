/**
 * The edge where loop files come in. Whatever the text is, the answer is a loop file, or a
 * `LoopFileError` with a place and a reason for each problem; all that can be found at once are told.
 */

import { basename } from 'node:path'
import type { Json } from '../../loop/index.ts'
import {
  type FileProblem,
  isJsonObject,
  issueProblems,
  issueReason,
  type LoopFile,
  type LoopFileType,
  loopFileProblems,
  loopFileSchemas,
  unknownName,
  type WrittenLoopFile,
  withDefaultPrompt,
} from '../../protocol/index.ts'
import { LoopFileError, type LoopFileProblem, pathName } from './loop-file-error.ts'
import { type Position, readSource, type SourceText } from './source-text.ts'
import { offsetOf, type Place } from './yaml-nodes.ts'
import { readYaml } from './yaml-values.ts'

export interface ParsedLoopFile {
  readonly file: LoopFile
  /** Where a value stands, or the nearest that holds it. */
  positionOf(path: readonly PropertyKey[]): Position
  /** By section: where its template begins, of those that stand in the file itself. */
  readonly templates: Readonly<Record<string, Position>>
}

export interface ParseOptions {
  /** Deadlines before it are refused. */
  readonly nowMs?: number
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
  const result = check(value, options.nowMs ?? Date.now())
  if (result.type === 'refused') {
    return fail(
      result.problems.map(({ path, reason, atKey }) => ({
        file,
        ...positionOf(path, atKey),
        path: pathName(path),
        reason,
      })),
    )
  }
  return {
    file: { ...result.file, name: result.file.name ?? nameFrom(file) },
    positionOf,
    templates: templatesOf(result.file, value, place, read.source),
  }
}

type Checked =
  | { readonly type: 'file'; readonly file: WrittenLoopFile }
  | { readonly type: 'refused'; readonly problems: readonly FileProblem[] }

function check(value: Json, nowMs: number): Checked {
  const refused = (problems: readonly FileProblem[]): Checked => ({ type: 'refused', problems })
  if (value === null) {
    const reason = 'it is empty: a loop file needs at least prompt, agent and checks'
    return refused([{ path: [], reason }])
  }
  if (!isJsonObject(value)) {
    const what = Array.isArray(value) ? 'a list' : 'a single value'
    return refused([{ path: [], reason: `expected keys and values, found ${what}` }])
  }
  const type = value['loop'] ?? 'plain'
  if (!isLoopFileType(type)) {
    const known = Object.keys(loopFileSchemas)
    const reason =
      typeof type === 'string'
        ? unknownName('loop type', type, known)
        : `expected the name of a loop type: ${known.join(', ')}`
    return refused([{ path: ['loop'], reason }])
  }
  const written = withDefaultPrompt(value)
  const parsed = loopFileSchemas[type].safeParse(written, { error: issueReason, reportInput: true })
  if (!parsed.success) return refused(issueProblems(parsed.error.issues))
  const problems = loopFileProblems(parsed.data, nowMs)
  return problems.length > 0 ? refused(problems) : { type: 'file', file: parsed.data }
}

const isLoopFileType = (type: Json): type is LoopFileType =>
  typeof type === 'string' && Object.hasOwn(loopFileSchemas, type)

function inOrder(problems: readonly LoopFileProblem[]): LoopFileProblem[] {
  const told = new Map(
    problems.map((problem) => [`${problem.line}:${problem.path}:${problem.reason}`, problem]),
  )
  return [...told.values()].toSorted((a, b) => a.line - b.line || a.column - b.column)
}

function placeOf(place: Place, path: readonly PropertyKey[]): Place | undefined {
  let current: Place | undefined = place
  for (const key of path) {
    current =
      typeof key === 'number' ? current?.items?.[key] : current?.keys?.get(String(key))?.place
  }
  return current
}

function templatesOf(
  { prompt }: WrittenLoopFile,
  value: Json,
  place: Place,
  source: SourceText,
): Record<string, Position> {
  const isList = isJsonObject(value) && Array.isArray(value['prompt'])
  const entries = prompt.flatMap((section, index): [string, Position][] => {
    if (!('text' in section)) return []
    const found = placeOf(place, isList ? ['prompt', index, 'text'] : ['prompt'])
    return found === undefined ? [] : [[section.name, textPosition(found, source)]]
  })
  return Object.fromEntries(entries)
}

/** Where the first character of a text stands: a block begins on the line after its sign. */
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
