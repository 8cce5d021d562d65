/**
 * From a manifest and the files that were found to a workload: which files are cases, which is the expected output of each,
 * and which cases are sealed. Pure.
 */

import { plural } from '../../../loop/excerpt/plural.ts'
import type { Manifest } from '../../../protocol/index.ts'
import type { FoundFile } from '../../loop-ports.ts'
import { toArgument } from '../placeholders.ts'
import { splitCases } from '../statistics/holdout.ts'
import { randomFrom } from '../statistics/random.ts'
import { baseName, plainPath, relativeTo } from './paths.ts'
import { type Case, type CaseSplit, inFolder } from './workload.ts'

export interface FoundFiles {
  readonly cases: readonly FoundFile[]
  readonly excluded: readonly { readonly path: string; readonly reason: string }[]
  readonly expected: readonly FoundFile[]
  readonly focus: readonly string[]
  readonly guards: readonly string[]
}

export type ResolvedCases =
  | {
      readonly type: 'cases'
      readonly cases: readonly Case[]
      readonly split: CaseSplit
      readonly seed: number
    }
  | { readonly type: 'problems'; readonly problems: readonly string[] }

export const casesMax = 5000
/** Fewer cases would leave a holdout that makes no claim. */
const holdoutFromCases = 67
const holdoutShare = 0.3
const namedMax = 5

export function resolveCases(manifest: Manifest, folder: string, found: FoundFiles): ResolvedCases {
  const excluded = new Map(found.excluded.map(({ path, reason }) => [path, reason]))
  const files = found.cases.filter(({ path }) => !excluded.has(path))
  const problems = [
    ...findCaseProblems(manifest, files),
    ...findExpectedProblems(manifest, folder, files, found),
  ]
  if (problems.length > 0) return { type: 'problems', problems }
  const expected =
    manifest.expectedPaths === undefined ? undefined : pairExpected(manifest, folder, found)
  const cases = files.map(({ path }, at) =>
    toCase(manifest, folder, path, { at, expected: expected?.(path) }),
  )
  const seed = seedOf(manifest.split.seed ?? cases.map(({ id }) => id).join('\n'))
  const idOf = (path: string): string => relativeTo(folder, path)
  const known = new Set(cases.map(({ id }) => id))
  const named = (paths: readonly string[]): readonly string[] =>
    paths.map(idOf).filter((id) => known.has(id))
  const labels = { focus: named(found.focus), guards: named(found.guards) }
  return {
    type: 'cases',
    cases,
    seed,
    split: {
      ...sealCases(manifest, cases, labels, seed),
      ...labels,
      excluded: [...excluded].map(([path, reason]) => ({ id: idOf(path), reason })),
    },
  }
}

function findCaseProblems({ casePaths }: Manifest, files: readonly FoundFile[]): readonly string[] {
  if (files.length === 0) {
    return [`casePaths: no file matches ${casePaths.join(', ')}; links are not followed`]
  }
  if (files.length <= casesMax) return []
  return [
    `casePaths: ${plural(files.length, 'file')} match, and ${casesMax} is the limit; leave some out with split.exclude`,
  ]
}

function findExpectedProblems(
  manifest: Manifest,
  folder: string,
  files: readonly FoundFile[],
  found: FoundFiles,
): readonly string[] {
  if (manifest.expectedPaths === undefined) return []
  const find = pairExpected(manifest, folder, found)
  const missing: string[] = []
  const ambiguous: string[] = []
  for (const { path } of files) {
    const pair = find(path)
    if (pair === undefined) missing.push(relativeTo(folder, path))
    if (pair === 'several') ambiguous.push(relativeTo(folder, path))
  }
  const needs =
    manifest.evaluateCommand?.includes('{expected}') === true ||
    manifest.evaluateCommand === undefined
  return [
    ...(needs && missing.length > 0
      ? [`expectedPaths: no expected output for ${listSome(missing)}`]
      : []),
    ...(ambiguous.length > 0
      ? [
          `expectedPaths: several expected outputs for ${listSome(ambiguous)}; use a path with {name}`,
        ]
      : []),
  ]
}

type FindExpected = (path: string) => Case['expected'] | 'several' | undefined

/** By the path with `{name}`, otherwise by the name up to the first dot. */
function pairExpected(
  { expectedPaths = [] }: Manifest,
  folder: string,
  found: FoundFiles,
): FindExpected {
  const byPath = new Map(found.expected.map((file) => [file.path, file]))
  const byStem = new Map<string, FoundFile[]>()
  for (const file of found.expected) {
    const stem = stemOf(file.path)
    byStem.set(stem, [...(byStem.get(stem) ?? []), file])
  }
  const templates = expectedPaths.filter((path) => path.includes('{name}'))
  return (path) => {
    const named = templates.flatMap(
      (template) => byPath.get(inFolder(folder, template.replaceAll('{name}', nameOf(path)))) ?? [],
    )
    const files = templates.length > 0 ? named : (byStem.get(stemOf(path)) ?? [])
    if (files.length > 1) return 'several'
    const [file] = files
    return file && { path: file.path, digest: file.digest }
  }
}

function toCase(
  { outputPath }: Manifest,
  folder: string,
  path: string,
  { at, expected }: { readonly at: number; readonly expected: ReturnType<FindExpected> },
): Case {
  const id = relativeTo(folder, path)
  const name = nameOf(path)
  const written = outputPath.replaceAll('{case}', id).replaceAll('{name}', name)
  const slug = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60)
  return {
    id,
    label: `${at + 1}-${slug}`,
    name,
    path,
    output: inFolder(folder, plainPath(written)),
    ...(typeof expected === 'object' ? { expected } : {}),
  }
}

/** Cases that the author named are known to the author: they are never sealed. */
function sealCases(
  { split: { holdout } }: Manifest,
  cases: readonly Case[],
  { focus, guards }: Pick<CaseSplit, 'focus' | 'guards'>,
  seed: number,
): Pick<CaseSplit, 'suite' | 'holdout'> {
  const share = holdout ?? (cases.length >= holdoutFromCases ? holdoutShare : 0)
  const known = new Set([...focus, ...guards])
  const ids = cases.map(({ id }) => id)
  const free = ids.filter((id) => !known.has(id))
  const wanted = Math.min(1, (share * ids.length) / Math.max(1, free.length))
  const sealed = new Set(splitCases(free, wanted, randomFrom(seed)).holdout)
  return {
    suite: ids.filter((id) => !sealed.has(id)),
    holdout: ids.filter((id) => sealed.has(id)),
  }
}

/** The name of a file without its last extension. */
const nameOf = (path: string): string => baseName(path).replace(/(?<=.)\.[^.]*$/, '')
/** Up to its first dot. */
const stemOf = (path: string): string => baseName(path).replace(/(?<=.)\..*$/, '')

/** FNV-1a. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return hash
}

const listSome = (names: readonly string[]): string =>
  names.length <= namedMax
    ? names.join(', ')
    : `${names.slice(0, namedMax).join(', ')} and ${names.length - namedMax} more`

/** The arguments of a case, as the placeholders of commands stand for them: from the folder of the manifest. */
export const argumentsOf = (folder: string, one: Case): { readonly [name: string]: string } => {
  const local = (path: string): string => toArgument(relativeTo(folder, path))
  return {
    case: local(one.path),
    name: one.name,
    output: local(one.output),
    ...(one.expected === undefined ? {} : { expected: local(one.expected.path) }),
  }
}
