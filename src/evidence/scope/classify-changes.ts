/**
 * Classifies every path that differs between the base and the candidate. The first matching rule decides: seals of the
 * loop file, links, files that git acts on, dependencies, manifests, files that no check read, tests, and then the scope.
 */

import { isData } from './file-kinds.ts'
import { createDecideManifest } from './manifest-changes.ts'
import type { ClassifiedChange, ClassifyRequest } from './scope.ts'
import { createDecideSeal, decideDependencies } from './sealed-paths.ts'
import { createDecideTest } from './test-changes.ts'
import { type Decision, isPlain, isRead, openTrees, type Trees, whatChanged } from './trees.ts'
import { createDecideWork } from './work-changes.ts'

const batchSize = 500

/** Sorted by path. Rejects with `bad-loop-file` if a pattern of the seals is invalid. */
export async function classifyChanges(
  request: ClassifyRequest,
): Promise<readonly ClassifiedChange[]> {
  if (request.base === request.tree) return []
  const trees = await openTrees(request)
  const decide = createDecide(trees)
  const decided = new Map<string, Decision>()
  // Concurrent reads are batched.
  for (let at = 0; at < trees.differing.length; at += batchSize) {
    const batch = trees.differing.slice(at, at + batchSize)
    const answers = await Promise.all(batch.map(decide))
    for (const [index, path] of batch.entries()) {
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
        : { path, what: 'moved', from, ...toMoved(decision, from) },
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
    decideCheckout(path) ??
    decideDependencies(trees, path) ??
    (await decideManifest(path)) ??
    (isRead(trees, path) ? undefined : notRead) ??
    (await decideTest(path)) ??
    (await decideWork(path))
}

const notRead: Decision = { class: 'not-read', why: 'no check read it' }

/** A file that is read through a link is known by another path, so "not read" says nothing about a link. */
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

const checkoutFiles = /(?:^|\/)\.(?:gitattributes|gitmodules|lfsconfig)$/i

/**
 * Git follows these when it writes files, not while a check runs, so "not read" says nothing about them: a checkout of the
 * certified commit may have other bytes than those that were checked.
 */
const decideCheckout = (path: string): Decision | undefined =>
  checkoutFiles.test(path)
    ? { class: 'other', why: 'git may write other bytes than those that were checked' }
    : undefined

/** Same content at another path: product files that stay work, and test files. */
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

const toMoved = (decision: Decision, from: string): Decision =>
  decision.class === 'work'
    ? { class: 'work', why: `moved from ${from}` }
    : { class: 'other', why: `a test file was moved from ${from}` }
