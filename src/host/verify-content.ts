/** Checks that all content that the journal refers to exists, and extracts recorded trees. */

import { type BlobId, LoopError, type TreeId } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { requireEmptyFolder, resolveWorkspace } from '../system/index.ts'
import { isGitTree } from '../workspace/index.ts'
import { createTreeStore } from '../workspace/tree-store.ts'

/** Problems that the store itself finds, and content that rows refer to but that is missing on disk. */
export async function findProblems(base: HostPorts): Promise<readonly string[]> {
  const { journal, blobs } = base
  const problems = [...(await journal.integrityProblems()), ...(await journal.damagedRows())]
  // If the database is damaged, its references cannot be trusted.
  if (problems.length > 0) return problems
  const trees = createTreeStore(base)
  const seen = new Set<string>()
  const named = await journal.namedContent()
  const ofGit = named.filter(({ hash, isTree }) => isTree && isGitTree(hash as TreeId))
  problems.push(...(await trees.gitProblems(ofGit.map(({ hash }) => hash as TreeId))))
  for (const { hash, isTree } of named) {
    try {
      if (!isTree) await readThrough(blobs.stream(hash as BlobId))
      else
        for await (const blob of trees.reachable(hash as TreeId, seen))
          await readThrough(blobs.stream(blob))
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
  }
  return problems
}

/** Reading to the end verifies the content against its hash. */
async function readThrough(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const part of content) void part
}

/** Extracts a recorded tree into an empty folder. */
export async function extractTree(base: HostPorts, tree: string, folder: string): Promise<TreeId> {
  const { journal, folder: record } = base
  const named = (await journal.namedContent()).filter(
    ({ hash, isTree }) => isTree && hash.startsWith(tree),
  )
  const [only] = named
  if (only === undefined || named.length > 1 || tree === '') {
    const what =
      named.length > 1
        ? 'is ambiguous: it matches several trees. Pass more digits.'
        : 'is not a tree of a run. Use one that loopctl inspect shows.'
    throw new LoopError('unknown-artifact', `"${tree}" ${what}`)
  }
  const path = resolveWorkspace(folder, record) ?? folder
  requireEmptyFolder(path, false)
  await createTreeStore(base).extract(only.hash as TreeId, path)
  return only.hash as TreeId
}
