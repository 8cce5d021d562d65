/** Where teeth are tried: read from two trees, never from a folder that somebody works in. */

import type { TreeId } from '../loop/index.ts'
import { changedLines, shuffled } from './choose-defects.ts'
import type { TestFile } from './hear-tests.ts'
import { familyOf } from './mask-code.ts'
import type { TreeFile, TreeReader } from './parts.ts'
import { plantedCharsMax, type SourceText } from './planter.ts'
import type { TeethRequest } from './teeth.ts'

export interface TeethFilesRequest {
  readonly reader: TreeReader
  readonly base: TreeId
  readonly tree: TreeId
  readonly isTest: (path: string) => boolean
  /** Sealed: a check that crashes on a defect in its own code has detected nothing. */
  readonly isSealed: (path: string) => boolean
  readonly random: () => number
}

/** So many of each kind are read (E9). */
const changedMax = 40
const oldMax = 12
const testsMax = 60

/** They are read by people. */
const documents =
  /\.(?:md|mdx|txt|rst|adoc|png|jpe?g|gif|svg|webp|pdf)$|(?:^|\/)(?:licen[cs]e|notice|authors|changelog)[^/]*$/i
/** Installed, built or written by a program. */
const madeByPrograms =
  /(?:^|\/)(?:node_modules|vendor|dist|build|target|coverage|__pycache__|\.[^/]+)\/|\.min\.js$|\.d\.[cm]?ts$/

export async function findTeethFiles(
  request: TeethFilesRequest,
): Promise<Pick<TeethRequest, 'changed' | 'tests' | 'old'>> {
  const { reader, base, tree, isTest, isSealed, random } = request
  const [before, after] = await Promise.all([reader.list(base), reader.list(tree)])
  const differs = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path)?.content !== after.get(path)?.content,
  )
  if (differs.every((path) => documents.test(path))) return { changed: [], tests: [], old: [] }
  const paths = [...after].filter(([, { kind }]) => isFile(kind)).map(([path]) => path)
  const code = shuffled(
    paths.filter((path) => familyOf(path) !== undefined && !madeByPrograms.test(path)),
    random,
  )
  const different = new Set(differs)
  const sources = code.filter((path) => !isTest(path))
  const read = (from: TreeId, path: string): Promise<string | undefined> =>
    readText(reader, from, path)
  const changed: TeethRequest['changed'][number][] = []
  for (const path of sources.filter((one) => different.has(one)).slice(0, changedMax)) {
    const text = await read(tree, path)
    if (text === undefined) continue
    const earlier = before.has(path) ? await read(base, path) : undefined
    changed.push({
      path,
      text,
      lines: changedLines(earlier, text),
      ...kindOf(after.get(path)),
      ...(isSealed(path) ? { isSealed: true as const } : {}),
    })
  }
  const readAll = async (chosen: readonly string[]): Promise<SourceText[]> => {
    const found: SourceText[] = []
    for (const path of chosen) {
      const text = await read(tree, path)
      if (text !== undefined) found.push({ path, text, ...kindOf(after.get(path)) })
    }
    return found
  }
  const places = placesBefore(before, after)
  const rank = (path: string): number => {
    const was = places(path)
    return was === undefined ? 0 : was === path ? 1 : 2
  }
  const isRun = (path: string): boolean => !besideTests.test(places(path) ?? path)
  const chosen = nearest(
    code.filter((path) => isTest(path) && isRun(path)),
    differs,
  )
  // What the work brings with it does not take the place of what was there.
  const oldFirst = chosen.toSorted((a, b) => rank(b) - rank(a))
  const tests = (await readAll(oldFirst.slice(0, testsMax))).map((file): TestFile => {
    const was = places(file.path)
    return was === undefined ? file : { ...file, was }
  })
  const old = sources.filter((path) => !different.has(path) && !isSealed(path)).slice(0, oldMax)
  const marked = changed.map((file) =>
    speakOf(tests, file.path) ? { ...file, isSpokenOf: true as const } : file,
  )
  return { changed: marked, tests: speakingFirst(tests, differs), old: await readAll(old) }
}

/** What checks hardly ever run, or what tests only read. */
const besideTests =
  /(?:^|\/)(?:e2e|cypress|playwright|benches|fixtures?|__fixtures__|testdata|__snapshots__|__mocks__)\/|\.(?:e2e|cy|bench|test-d)\./

/** Where the base has a file: there, or where it was moved from. */
function placesBefore(
  before: ReadonlyMap<string, TreeFile>,
  after: ReadonlyMap<string, TreeFile>,
): (path: string) => string | undefined {
  const gone = new Map<string, string>()
  for (const [path, { content }] of before) if (!after.has(path)) gone.set(content, path)
  return (path) => (before.has(path) ? path : gone.get(after.get(path)?.content ?? ''))
}

const isFile = (kind: TreeFile['kind']): boolean => kind === 'file' || kind === 'executable'

const kindOf = (file: TreeFile | undefined): Pick<SourceText, 'kind'> =>
  file?.kind === 'executable' ? { kind: 'executable' } : {}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Undefined: too long, or no text. */
async function readText(
  reader: TreeReader,
  tree: TreeId,
  path: string,
): Promise<string | undefined> {
  const bytes = await reader.read(tree, path, plantedCharsMax)
  if (bytes === undefined) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const stemOf = (path: string): string =>
  (path.split('/').at(-1) ?? '')
    .replace(/\.[^.]+$/, '')
    .replaceAll(/^test_|[._-](?:tests?|specs?)$/gi, '')
    .toLowerCase()

/** Tests named like what was changed before all others. */
function nearest(tests: readonly string[], changed: readonly string[]): readonly string[] {
  const stems = new Set(changed.map(stemOf))
  return tests.toSorted((a, b) => Number(stems.has(stemOf(b))) - Number(stems.has(stemOf(a))))
}

const isTelling = (stem: string): boolean => stem.length > 2 && stem !== 'index'

function speakOf(tests: readonly SourceText[], path: string): boolean {
  const stem = stemOf(path)
  return isTelling(stem) && tests.some(({ text }) => text.toLowerCase().includes(stem))
}

function speakingFirst(
  tests: readonly TestFile[],
  changed: readonly string[],
): readonly TestFile[] {
  const stems = changed.map(stemOf).filter(isTelling)
  const speaks = ({ path, text, was = path }: TestFile): number => {
    // One that moved may lie where nobody looks.
    if (was !== path) return stems.length + 1
    const lower = text.toLowerCase()
    return stems.filter((stem) => lower.includes(stem)).length
  }
  const scores = new Map(tests.map((file) => [file, speaks(file)]))
  return tests.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))
}
