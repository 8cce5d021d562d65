/** Compares files or a commit with the tree of a certificate, and describes the result. */

import { existsSync } from 'node:fs'
import type { TreeFinding } from '../../evidence/certificate/index.ts'
import { createBlobStore } from '../../journal/index.ts'
import { defined, type TreeId } from '../../loop/index.ts'
import type { Certificate } from '../../protocol/index.ts'
import type { TreeComparison } from '../../workspace/index.ts'
import { blobsFolder } from './stored-outputs.ts'

export interface ComparisonTarget {
  readonly repo: string
  /** Compare this git revision instead of the files. `true`: the commit that was certified. */
  readonly commit?: string | true
}

const namedMax = 20

export async function compareFiles(
  { repo, commit }: ComparisonTarget,
  certificate: Certificate,
  tree: TreeId,
  folder: string,
): Promise<TreeFinding> {
  const known = certificate.commit
  const wanted = commit === true ? known : commit
  if (commit === true && known === undefined) {
    const message = `The certificate is for ${tree} and names no commit.`
    return { status: 'differs', message, advice: 'Pass one: --commit <name>' }
  }
  if (!existsSync(repo)) {
    const message = `There is no folder ${repo}.`
    return {
      status: 'differs',
      message,
      advice: 'Pass the folder to compare: --repo <folder>',
    }
  }
  const { compareWithTree } = await import('../../workspace/index.ts')
  const compared = await compareWithTree({
    folder: repo,
    tree,
    blobs: createBlobStore({ root: blobsFolder(folder) }),
    ...defined({ commit: wanted, known, excludedPaths: certificate.apart }),
  })
  return describeComparison(compared, { repo, tree, known, wanted })
}

interface ComparisonContext {
  readonly repo: string
  readonly tree: TreeId
  readonly known: string | undefined
  readonly wanted: string | undefined
}

function describeComparison(
  compared: TreeComparison,
  { repo, tree, known, wanted }: ComparisonContext,
): TreeFinding {
  if (compared.status === 'same') {
    const what = wanted === undefined ? `the files in ${repo} are` : `the commit ${wanted} is`
    return {
      status: 'same',
      message: `${what} ${tree}, byte for byte${describeIgnored(compared.notInTree)}`,
    }
  }
  if (compared.status === 'damaged') {
    const { why, path } = compared
    const where = path === undefined ? '' : ` (${path})`
    const message = `The repository of ${repo} does not have an intact ${tree}: ${why}${where}.`
    const advice = 'Fetch it from where it was certified, or repair the repository (git fsck).'
    return { status: 'differs', message, advice }
  }
  const { changed, missing, added, isUnknown } = compared
  const what = wanted === undefined ? `The files in ${repo} are` : `The commit ${wanted} is`
  const paths = [
    ...changed.map((path) => `changed  ${path}`),
    ...missing.map((path) => `missing  ${path}`),
    ...added.map((path) => `new      ${path}`),
  ]
  const more = paths.length > namedMax ? [`and ${paths.length - namedMax} more`] : []
  const advice =
    known === undefined || wanted !== undefined
      ? 'Restore what was certified, or certify these files: loopctl certify'
      : `Check out ${known}, certify these files (loopctl certify), or compare only the commit: --commit`
  return {
    status: 'differs',
    message: `${what} not ${tree}.${isUnknown === true ? ' Which files differ is unknown.' : ''}`,
    advice,
    paths: [...paths.slice(0, namedMax), ...more],
  }
}

/** Ignored files, which the certificate does not cover. */
function describeIgnored(notInTree: readonly string[]): string {
  if (notInTree.length === 0) return ''
  const more = notInTree.length > namedMax ? ` and ${notInTree.length - namedMax} more` : ''
  return `; ignored, and not part of it: ${notInTree.slice(0, namedMax).join(', ')}${more}`
}
