/**
 * Finds out whether the work of an earlier run is still valid: its certificate verifies with the trusted keys,
 * and its tree is on a branch of the same repository or equals the current files.
 */

import { loadRun, readCreated } from '../../engine/index.ts'
import { verifyTarget } from '../../history/certificates/index.ts'
import type { EarlierRun, RunId, TreeId } from '../../loop/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { repositoryOf } from '../../runs/place-run.ts'
import { openGitTrees } from '../../workspace/index.ts'

export async function findEarlierWork(
  { journal, folder }: Pick<HostPorts, 'journal' | 'folder'>,
  run: RunId,
  tree: TreeId,
): Promise<EarlierRun | undefined> {
  try {
    const { name, status } = await journal.findRun(run)
    const { certificate } = (await loadRun(journal, run)).state
    if (status !== 'completed' || certificate?.tree === undefined) return undefined
    const { verdict } = await verifyTarget({ target: certificate.id, folder })
    if (verdict !== 'valid') return undefined
    const found = { run, name, certificate: certificate.id }
    const { worktree } = await readCreated(journal, run)
    if (worktree === undefined) return certificate.tree === tree ? found : undefined
    const { branch } = worktree
    const branchTree = await openGitTrees(await repositoryOf(worktree)).resolveTree(
      `refs/heads/${branch}`,
    )
    return branchTree === certificate.tree ? { ...found, branch } : undefined
  } catch {
    // What cannot be verified does not count: the work is repeated.
    return undefined
  }
}
