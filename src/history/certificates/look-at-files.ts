/** Files, or a commit, beside the tree that a certificate is about; in words. */

import { existsSync } from 'node:fs'
import type { TreeLook } from '../../evidence/certificate/index.ts'
import { createBlobStore } from '../../journal/index.ts'
import { defined, type TreeId } from '../../loop/index.ts'
import type { Certificate } from '../../protocol/index.ts'
import type { TreeComparison } from '../../workspace/index.ts'
import { blobsFolder } from './kept-outputs.ts'

export interface LookAt {
  readonly repo: string
  /** Instead of the files: what this name of git leads to. `true`: the commit that was certified. */
  readonly commit?: string | true
}

const namedMax = 20

export async function lookAtFiles(
  { repo, commit }: LookAt,
  certificate: Certificate,
  tree: TreeId,
  folder: string,
): Promise<TreeLook> {
  const known = certificate.commit
  const wanted = commit === true ? known : commit
  if (commit === true && known === undefined) {
    const message = `It is about ${tree}, and names no commit.`
    return { status: 'differs', message, advice: 'Name one: --commit <name>.' }
  }
  if (!existsSync(repo)) {
    const message = `There is no folder ${repo}.`
    return {
      status: 'differs',
      message,
      advice: 'Name the folder that is to be looked at: --repo <folder>.',
    }
  }
  const { compareWithTree } = await import('../../workspace/index.ts')
  const compared = await compareWithTree({
    folder: repo,
    tree,
    blobs: createBlobStore({ root: blobsFolder(folder) }),
    ...defined({ commit: wanted, known, apart: certificate.apart }),
  })
  return inWords(compared, { repo, tree, known, wanted })
}

interface Words {
  readonly repo: string
  readonly tree: TreeId
  readonly known: string | undefined
  readonly wanted: string | undefined
}

function inWords(compared: TreeComparison, { repo, tree, known, wanted }: Words): TreeLook {
  if (compared.status === 'same') {
    const what = wanted === undefined ? `the files in ${repo} are` : `the commit ${wanted} is`
    return {
      status: 'same',
      message: `${what} ${tree}, byte for byte${left(compared.notPart)}`,
    }
  }
  if (compared.status === 'damaged') {
    const { why, path } = compared
    const where = path === undefined ? '' : ` (${path})`
    const message = `The repository of ${repo} does not have ${tree} as it was: ${why}${where}.`
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
      ? 'Go back to what was certified, or have these certified: loopctl certify.'
      : `Check out ${known}, have these certified (loopctl certify), or look at the commit alone: --commit.`
  return {
    status: 'differs',
    message: `${what} not ${tree}.${isUnknown === true ? ' Which differ is not known here.' : ''}`,
    advice,
    paths: [...paths.slice(0, namedMax), ...more],
  }
}

/** What nobody certified, although it lies there. */
function left(notPart: readonly string[]): string {
  if (notPart.length === 0) return ''
  const more = notPart.length > namedMax ? ` and ${notPart.length - namedMax} more` : ''
  return `; ignored, and no part of it: ${notPart.slice(0, namedMax).join(', ')}${more}`
}
