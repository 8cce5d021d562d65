/**
 * The class of every path that differs between the base and the candidate. The first rule that fits decides:
 * what the loop file seals, links, dependencies, manifests, what no check read, tests, and then the scope.
 */

import { isData } from './file-kinds.ts'
import { createDecideManifest } from './manifest-changes.ts'
import type { ClassifiedChange, ClassifyRequest } from './scope.ts'
import { createDecideSeal, decideDependencies } from './sealed-paths.ts'
import { createDecideTest } from './test-changes.ts'
import { type Decision, isPlain, isRead, openTrees, type Trees, whatChanged } from './trees.ts'
import { createDecideWork } from './work-changes.ts'

const atOnce = 500

/** Sorted by path. Rejects with `bad-loop-file`: a pattern of the seals cannot be used. */
export async function classifyChanges(
  request: ClassifyRequest,
): Promise<readonly ClassifiedChange[]> {
  if (request.base === request.tree) return []
  const trees = await openTrees(request)
  const decide = createDecide(trees)
  const decided = new Map<string, Decision>()
  // What is asked for at the same time is read at once.
  for (let at = 0; at < trees.differing.length; at += atOnce) {
    const some = trees.differing.slice(at, at + atOnce)
    const answers = await Promise.all(some.map(decide))
    for (const [index, path] of some.entries()) {
      const answer = answers[index]
      if (answer !== undefined) decided.set(path, answer)
    }
  }
  const moves = findMoves(trees, decided)
  const gone = new Set(moves.values())
  return trees.differing.flatMap((path): ClassifiedChange[] => {
    const decision = decided.get(path)
    if (decision === undefined || gone.has(path)) return []
    const from = moves.get(path)
    return [
      from === undefined
        ? { path, what: whatChanged(trees, path), ...decision }
        : { path, what: 'moved', from, ...movedFrom(decision, from) },
    ]
  })
}

function createDecide(trees: Trees): (path: string) => Promise<Decision> {
  const decideSeal = createDecideSeal(trees)
  const decideManifest = createDecideManifest(trees)
  const decideTest = createDecideTest(trees)
  const decideWork = createDecideWork(trees)
  return async (path) =>
    (await decideSeal(path)) ??
    decideLink(trees, path) ??
    decideDependencies(trees, path) ??
    (await decideManifest(path)) ??
    (isRead(trees, path) ? undefined : notRead) ??
    (await decideTest(path)) ??
    (await decideWork(path))
}

const notRead: Decision = { class: 'not-read', why: 'no check read it' }

/** What is read through a link is not known by the link's path, so that "not read" says nothing here. */
function decideLink({ before, after }: Trees, path: string): Decision | undefined {
  const odd = [before.get(path), after.get(path)].find(
    (file) => file !== undefined && !isPlain(file),
  )
  if (odd === undefined) return undefined
  return {
    class: 'other',
    why: odd.kind === 'link' ? 'a symbolic link' : 'neither a file nor a symbolic link',
  }
}

/** The same content elsewhere, by where it is now: product files that stay work, and test files. */
function findMoves(
  { differing, before, after, testsOfBase, testsOfTree }: Trees,
  decided: ReadonlyMap<string, Decision>,
): ReadonlyMap<string, string> {
  const removed = new Map<string, string[]>()
  for (const path of differing) {
    const was = before.get(path)
    if (was === undefined || after.has(path)) continue
    const key = `${was.kind} ${was.content}`
    const known = removed.get(key)
    if (known === undefined) removed.set(key, [path])
    else known.push(path)
  }
  const isWork = (path: string): boolean => decided.get(path)?.class === 'work' && !isData(path)
  const moves = new Map<string, string>()
  for (const path of differing) {
    const is = after.get(path)
    if (is === undefined || before.has(path)) continue
    const from = removed.get(`${is.kind} ${is.content}`)
    const at =
      from?.findIndex(
        (one) => (isWork(one) && isWork(path)) || (testsOfBase.has(one) && testsOfTree.has(path)),
      ) ?? -1
    const [taken] = at < 0 ? [] : (from?.splice(at, 1) ?? [])
    if (taken !== undefined) moves.set(path, taken)
  }
  return moves
}

const movedFrom = (decision: Decision, from: string): Decision =>
  decision.class === 'work'
    ? { class: 'work', why: `moved from ${from}` }
    : { class: 'other', why: `a test file was moved from ${from}` }
