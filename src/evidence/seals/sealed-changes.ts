/**
 * E7. What differs between the base and the tree in the things that judge the work, and what has to be put
 * over the tree so that it is judged as the base would have judged it.
 *
 * 1. New tests are free, unless they act on those that were there. 2. A test that only moved is free, if it
 * is a test where it is now. 3. In files that are sealed by key the rest is free; one that cannot be read by
 * key counts as a whole. 4. Links, folders in place of files and other spellings of a name are changes like
 * any other. 5. Nothing is left out in silence: what cannot be put back is named.
 */

import type { TreeId } from '../../loop/index.ts'
import type { Overlay, PutFile, TreeFile, TreeReader } from '../parts.ts'
import { type Classify, createClassify, type Seal } from './classify.ts'
import { summariseFile, summariseKey } from './describe-sealed.ts'
import { ignoresMore } from './ignore-lists.ts'
import { compareKeyed } from './keyed-texts.ts'
import { findLoaded } from './loaded-files.ts'
import { findMoves, type Move } from './moved-tests.ts'
import { findReadByTests } from './read-by-tests.ts'
import type { SealedChange, SealedChanges, SealRules } from './sealed-change.ts'

const fileBytesMax = 64 * 1024 * 1024
const keyedBytesMax = 4 * 1024 * 1024

interface Trees {
  readonly reader: TreeReader
  readonly base: TreeId
  readonly tree: TreeId
  readonly before: ReadonlyMap<string, TreeFile>
  readonly after: ReadonlyMap<string, TreeFile>
  /** Of the base, each with its slash. */
  readonly folders: ReadonlySet<string>
}

interface Found {
  readonly changes: SealedChange[]
  readonly puts: Map<string, PutFile | null>
  readonly moved: Move[]
  readonly unlaid: string[]
}

const nothing: SealedChanges = {
  changes: [],
  overlay: new Map(),
  paths: [],
  moved: [],
  freshTests: [],
  unlaid: [],
}

/** Rejects with `bad-loop-file`: a pattern of the rules cannot be used. */
export async function sealedChanges(
  reader: TreeReader,
  base: TreeId,
  tree: TreeId,
  rules: SealRules = {},
): Promise<SealedChanges> {
  if (base === tree) return nothing
  const [before, after] = await Promise.all([reader.list(base), reader.list(tree)])
  const trees: Trees = { reader, base, tree, before, after, folders: foldersOf(before.keys()) }
  const has = (path: string): boolean => before.has(path) || after.has(path)
  const differing = differingPaths(trees)
  const loaded = await findLoaded(reader, base, before, rules.names ?? [])
  const byPath = createClassify(rules, { has, loaded: new Map() })
  const isTest = (path: string): boolean => byPath(path)?.kind === 'test'
  const candidates = differing.filter((path) => !loaded.has(path))
  const read = await findReadByTests({ reader, base, files: before, candidates, isTest })
  const classify = createClassify(rules, {
    has,
    loaded: new Map([...loaded, ...read.map((path) => [path, 'test'] as const)]),
  })
  const found: Found = { changes: [], puts: new Map(), moved: [], unlaid: [] }
  const moves = findMoves(differing, trees, classify)
  for (const path of differing) await look(trees, found, path, classify, moves)
  const changes = found.changes.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return {
    changes,
    overlay: orderedOverlay(found.puts, after),
    paths: [...new Set(changes.map(({ path }) => path))],
    moved: found.moved,
    freshTests: [...before.keys()].some(isTest) ? freshTests(differing, trees, found, isTest) : [],
    unlaid: found.unlaid,
  }
}

/** Without those that moved: they were there. */
function freshTests(
  differing: readonly string[],
  { before }: Trees,
  { moved, puts }: Found,
  isTest: (path: string) => boolean,
): readonly string[] {
  const known = new Set(moved.map(({ to }) => to))
  return differing.filter(
    (path) => !before.has(path) && isTest(path) && !known.has(path) && !puts.has(path),
  )
}

function differingPaths({ before, after }: Trees): readonly string[] {
  const paths: string[] = []
  for (const [path, file] of before) if (!isSame(file, after.get(path))) paths.push(path)
  for (const path of after.keys()) if (!before.has(path)) paths.push(path)
  return paths.toSorted()
}

const isSame = (a: TreeFile, b: TreeFile | undefined): boolean =>
  a.content === b?.content && a.kind === b.kind

async function look(
  trees: Trees,
  found: Found,
  path: string,
  classify: Classify,
  moves: ReadonlyMap<string, Move>,
): Promise<void> {
  const seal = classify(path)
  if (seal === undefined) return
  const was = trees.before.get(path)
  const is = trees.after.get(path)
  if (was === undefined) return lookAtNew(trees, found, path, seal)
  const move = moves.get(path)
  if (move !== undefined) {
    found.moved.push(move)
    return
  }
  if (seal.keyed !== undefined && isPlain(was) && isPlain(is)) {
    return lookAtKeys(trees, found, path, seal)
  }
  if (seal.kind === 'ignore' && isPlain(was) && isPlain(is)) {
    const text = await textOf(trees.reader, trees.base, path)
    const now = await textOf(trees.reader, trees.tree, path)
    if (
      text !== undefined &&
      now !== undefined &&
      !ignoresMore(path, text, now, trees.after.keys())
    ) {
      return
    }
  }
  const note = is?.kind === 'link' && was.kind !== 'link' ? 'it is a link now' : ''
  const what = is === undefined ? 'removed' : 'changed'
  found.changes.push({ path, what, kind: seal.kind, summary: summariseFile(path, what, note) })
  await putBack(trees, found, path, was)
}

async function putBack(trees: Trees, found: Found, path: string, was: TreeFile): Promise<void> {
  const content =
    was.kind === 'other' ? undefined : await trees.reader.read(trees.base, path, fileBytesMax)
  if (content === undefined || was.kind === 'other') found.unlaid.push(path)
  else found.puts.set(path, { content, kind: was.kind })
}

async function lookAtNew(trees: Trees, found: Found, path: string, seal: Seal): Promise<void> {
  const isNewFolder = (): boolean => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    return folder !== '' && !trees.folders.has(folder)
  }
  const file = trees.after.get(path)
  const isLinked = file !== undefined && !isPlain(file)
  if (!isLinked && seal.fresh === 'acts-on-old' && isNewFolder()) return
  if (!isLinked && seal.fresh === 'free' && !(await actsAllTheSame(trees, path, seal))) return
  if (!isLinked && seal.kind === 'ignore') {
    const text = await textOf(trees.reader, trees.tree, path)
    if (text !== undefined && !ignoresMore(path, '', text, trees.after.keys())) return
  }
  // For what lies in its folder it takes the place of the package that it was in.
  const isNearer = path.endsWith('/package.json')
  if (!isLinked && !isNearer && seal.keyed !== undefined) {
    return lookAtKeys(trees, found, path, seal)
  }
  const note = isLinked ? 'it is a link' : ''
  const summary = summariseFile(path, 'added', note)
  found.changes.push({ path, what: 'added', kind: seal.kind, summary })
  found.puts.set(path, null)
}

/** A new snapshot of a test that was there says what that test expects; some new tests end all others. */
async function actsAllTheSame(
  { reader, tree, before }: Trees,
  path: string,
  seal: Seal,
): Promise<boolean> {
  const snapshotOf = /^(.*?)(?:__snapshots__\/)?([^/]+)\.snap(?:shot)?$/.exec(path)
  if (snapshotOf !== null && before.has(`${snapshotOf[1]}${snapshotOf[2]}`)) return true
  if (seal.actsIf === undefined) return false
  const text = await textOf(reader, tree, path)
  return text === undefined || seal.actsIf.test(text)
}

async function lookAtKeys(trees: Trees, found: Found, path: string, seal: Seal): Promise<void> {
  const { reader, base, tree, before, after } = trees
  const was = before.get(path)
  const text = was === undefined ? '' : await textOf(reader, base, path)
  const now = await textOf(reader, tree, path)
  const compared =
    text === undefined || now === undefined || seal.keyed === undefined
      ? undefined
      : compareKeyed(seal.keyed, was === undefined ? undefined : text, now)
  if (compared === undefined) {
    const what = was === undefined ? 'added' : 'changed'
    const summary = summariseFile(path, what, 'it cannot be read key by key')
    found.changes.push({ path, what, kind: seal.kind, summary })
    if (was === undefined) found.puts.set(path, null)
    else await putBack(trees, found, path, was)
    return
  }
  for (const difference of compared.differences) {
    const { key, kind } = difference
    const what =
      difference.before === undefined
        ? 'added'
        : difference.after === undefined
          ? 'removed'
          : 'changed'
    found.changes.push({ path, key, what, kind, summary: summariseKey(path, difference) })
  }
  if (compared.differences.length > 0) {
    const kind = after.get(path)?.kind === 'executable' ? 'executable' : 'file'
    found.puts.set(path, { content: new TextEncoder().encode(compared.merged), kind })
  }
}

async function textOf(reader: TreeReader, tree: TreeId, path: string): Promise<string | undefined> {
  const bytes = await reader.read(tree, path, keyedBytesMax)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

const isPlain = (file: TreeFile | undefined): boolean =>
  file?.kind === 'file' || file?.kind === 'executable'

function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

/** What stands where a folder has to be, or in what has to be a file, goes first. */
function orderedOverlay(
  puts: ReadonlyMap<string, PutFile | null>,
  after: ReadonlyMap<string, TreeFile>,
): Overlay {
  const away = new Set([...puts].flatMap(([path, put]) => (put === null ? [path] : [])))
  const files = new Set([...puts].flatMap(([path, put]) => (put === null ? [] : [path])))
  for (const path of files) {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at)
      if (after.has(folder) && !files.has(folder)) away.add(folder)
    }
  }
  for (const path of after.keys()) {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      if (files.has(path.slice(0, at))) away.add(path)
    }
  }
  return new Map<string, PutFile | null>([
    ...[...away].toSorted().map((path): [string, null] => [path, null]),
    ...[...puts].flatMap(([path, put]): [string, PutFile][] => (put === null ? [] : [[path, put]])),
  ])
}
