/**
 * Reads a loop file, and every file that it names.
 *
 * 1. The digest covers exactly the bytes that were parsed, so that what is trusted is what is used.
 * 2. A named file must be in the folder of the loop file or below, with links resolved, and must be a regular file of
 *    limited size. Nothing is opened that could block.
 */

import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { findNearestName, LoopError, type PolicyMode } from '../../loop/index.ts'
import type { LoopTypeDefinition, ReadPrompts, ReadSection } from '../../loops/index.ts'
import { type LoopFile, type PromptSection, quoted } from '../../protocol/index.ts'
import type { PolicyFiles } from '../../protocol/loop-file/policy-schema.ts'
import { digestFiles, type FileDigest, pathInside, sha256 } from '../../system/index.ts'
import { LoopFileError, oneLine, pathName } from './loop-file-error.ts'
import { type ParsedLoopFile, type ParseOptions, parseLoopFile } from './parse-loop-file.ts'
import { readSource, sourceBytesMax } from './source-text.ts'

export interface ReadLoopFile {
  readonly file: LoopFile
  readonly type: LoopTypeDefinition
  /** Absolute. */
  readonly path: string
  /** Covers the names and content of all files. */
  readonly digest: string
  /** The loop file first, then the files that it names. */
  readonly files: readonly FileDigest[]
  /** The prompts by key, with the text of every section. */
  readonly prompts: ReadPrompts
  /** The policy files that it names, with the text that its digest covers. */
  readonly policies: readonly NamedPolicy[]
}

/** A policy file, and whether its rules are enforced. */
export interface NamedPolicy {
  /** Absolute. */
  readonly file: string
  readonly mode: PolicyMode
  /** Absent: read when it is used, if its content is trusted. */
  readonly text?: string
}

/** The files of each mode, with paths relative to a folder. */
export const namedPolicies = (
  files: PolicyFiles | undefined,
  folder: string,
): readonly NamedPolicy[] =>
  (['enforce', 'monitor'] as const).flatMap((mode) =>
    (files?.[mode] ?? []).map((file) => ({ file: resolve(folder, file), mode })),
  )

interface Content {
  readonly path: string
  readonly text: string
  readonly sha256: string
}

export async function readLoopFile(
  path: string,
  options: ParseOptions = {},
): Promise<ReadLoopFile> {
  const absolute = resolve(path)
  const bytes = await readPlainFile(absolute).catch(async (error: unknown) => {
    if (isMissing(error)) throw await noSuchFile(path, absolute)
    throw atStart(path, await cannotRead(absolute, error))
  })
  const parsed = await parseLoopFile(bytes, path, options)
  const named = await readNamedFiles(path, absolute, parsed)
  const files = [
    { path: basename(absolute), sha256: sha256(bytes) },
    ...[...named.values()].map(({ path: inner, sha256: hash }) => ({ path: inner, sha256: hash })),
  ]
  return {
    file: parsed.file,
    type: parsed.type,
    path: absolute,
    digest: digestFiles(files),
    files,
    prompts: Object.fromEntries(
      Object.entries(parsed.prompts).map(([key, sections]) => [
        key,
        sections.map((section) => readSection(section, path, parsed.templates[key] ?? {}, named)),
      ]),
    ),
    policies: policyNames(parsed.file).map(({ mode, name }) => ({
      file: resolve(dirname(absolute), name),
      mode,
      text: named.get(name)?.text ?? '',
    })),
  }
}

function policyNames({ policy = {} }: LoopFile): readonly {
  readonly mode: PolicyMode
  readonly name: string
  readonly path: readonly PropertyKey[]
}[] {
  return (['enforce', 'monitor'] as const).flatMap((mode) =>
    (policy[mode] ?? []).map((name, index) => ({ mode, name, path: ['policy', mode, index] })),
  )
}

function readSection(
  section: PromptSection,
  file: string,
  templates: NonNullable<ParsedLoopFile['templates'][string]>,
  named: ReadonlyMap<string, Content>,
): ReadSection {
  const { name, priority, stable, keep, required } = section
  const settings = { name, priority, stable, keep, required }
  if ('text' in section) {
    const position = templates[name] ?? { line: 1, column: 1 }
    return { ...settings, text: section.text, position: { file, ...position } }
  }
  const content = named.get(section.file)
  const shown = join(dirname(file), section.file)
  const position = { file: shown, line: 1, column: 1 }
  return { ...settings, text: content?.text ?? '', position }
}

/** By the name in the loop file. Reports all problems at once. */
async function readNamedFiles(
  file: string,
  absolute: string,
  { file: parsed, prompts, positionOf }: ParsedLoopFile,
): Promise<ReadonlyMap<string, Content>> {
  const folder = await realpath(dirname(absolute)).catch(async (error: unknown) => {
    throw atStart(file, await cannotRead(absolute, error))
  })
  const contents = new Map<string, Content>()
  const problems = []
  const sections = Object.entries(prompts).flatMap(([key, all]) =>
    all.flatMap((section, index) => {
      if (!('file' in section)) return []
      // A prompt that is not a list is one section with this name.
      const isOnly = all.length === 1 && section.name === 'prompt'
      const path = isOnly ? [key, 'file'] : [key, index, 'file']
      return [{ name: section.file, path, what: 'the prompt' }]
    }),
  )
  const policies = policyNames(parsed).map((policy) => ({ ...policy, what: 'the rules' }))
  for (const { name, path, what } of [...sections, ...policies]) {
    if (contents.has(name)) continue
    const read = await readNamed(folder, name, what)
    if (typeof read === 'string') {
      problems.push({ file, ...positionOf(path), path: pathName(path), reason: read })
    } else contents.set(name, read)
  }
  if (problems.length > 0) throw new LoopFileError(file, problems)
  return contents
}

/** The content, or why it cannot be used. */
async function readNamed(folder: string, name: string, what: string): Promise<Content | string> {
  const outside = `${quoted(name)} is outside the folder of the loop file: move it into the folder`
  if (isAbsolute(name) || pathInside(folder, resolve(folder, name)) === undefined) return outside
  const path = resolve(folder, name)
  try {
    const real = await realpath(path)
    if (pathInside(folder, real) === undefined) return outside
    const bytes = await readPlainFile(real)
    const source = readSource(bytes)
    if (source.type === 'refused') {
      const { line, column, reason } = source.problem
      return `${quoted(name)} cannot be used, line ${line}, column ${column}: ${reason}`
    }
    if (source.source.text.trim() === '') return `${quoted(name)} is empty: write ${what} there`
    const inner = relative(folder, path).split(sep).join('/')
    return { path: inner, text: source.source.text, sha256: sha256(bytes) }
  } catch (error) {
    return cannotRead(path, error, name)
  }
}

/** A path that is read as a file, and is something else. */
export class NotPlainError extends Error {
  readonly problem: { readonly reason: string; readonly suggestion: string }

  constructor(problem: NotPlainError['problem']) {
    super(`${problem.reason}: ${problem.suggestion}`)
    this.problem = problem
  }
}

/** Does not block on a pipe without a writer. */
export async function readPlainFile(path: string): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (found.isDirectory()) {
      throw new NotPlainError({ reason: 'it is a folder', suggestion: 'pass a file in it' })
    }
    if (!found.isFile()) {
      throw new NotPlainError({
        reason: 'it is not a regular file',
        suggestion: 'pass another one',
      })
    }
    const buffer = Buffer.alloc(Math.min(found.size, sourceBytesMax) + 1)
    let filled = 0
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    if (filled > sourceBytesMax) {
      throw new NotPlainError({
        reason: `it is over ${sourceBytesMax} bytes`,
        suggestion: 'make it shorter',
      })
    }
    return buffer.subarray(0, filled)
  } finally {
    await handle.close()
  }
}

async function cannotRead(path: string, error: unknown, name?: string): Promise<string> {
  const what = name === undefined ? 'it' : quoted(name)
  if (error instanceof NotPlainError) return error.message.replace(/^it/, what)
  if (isMissing(error)) return `${what} does not exist: ${await hintFor(path)}`
  return `${what} cannot be read (${codeOf(error)}): check its permissions`
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error))

const noSuchFile = async (path: string, absolute: string): Promise<LoopError> =>
  new LoopError(
    'unknown-file',
    `The file ${oneLine(path)} does not exist: ${await hintFor(absolute)}.`,
  )

async function hintFor(path: string): Promise<string> {
  const similar = await similarFiles(path)
  return similar.length === 0 ? 'check the path' : `use another, such as ${similar.join(', ')}`
}

const similarMax = 5
const entriesMax = 1000

/** Suggests files in the same folder: the most similar name, then loop files. */
async function similarFiles(path: string): Promise<readonly string[]> {
  const entries = await readdir(dirname(path), { withFileTypes: true }).catch(() => [])
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .slice(0, entriesMax)
  const near = findNearestName(basename(path), names)
  const loops = names.filter((name) => /\.(?:ya?ml|md|ts)$/.test(name) && name !== near)
  const shown = near === undefined ? loops : [near, ...loops.filter((name) => sameKind(name, path))]
  return shown.slice(0, similarMax).map((name) => quoted(name))
}

const sameKind = (a: string, b: string): boolean =>
  a.slice(a.lastIndexOf('.')) === b.slice(b.lastIndexOf('.'))

const atStart = (file: string, reason: string): LoopFileError =>
  new LoopFileError(file, [{ file, line: 1, column: 1, path: 'the file', reason }])
