/** The place in which checks are measured. */

import { mkdir } from 'node:fs/promises'
import type { CertifyingPlace } from '../../evidence/index.ts'
import { LoopError } from '../../loop/index.ts'
import { openCheckout } from '../../workspace/index.ts'
import { certifyFolder } from '../certify/open-place.ts'
import type { Host } from '../host.ts'
import type { RunParts } from '../options.ts'
import { makeOwnFolder } from '../own-folder.ts'
import type { MeasuredTree } from './choose-tree.ts'

export type MeasuringPlace = Pick<CertifyingPlace, 'checkout' | 'checks' | 'agents' | 'close'>

export async function openMeasuringPlace(
  { folder, blobs }: Pick<Host, 'folder' | 'blobs'>,
  { tree, commit, repository }: MeasuredTree,
  { certifying }: RunParts,
  signal: AbortSignal,
): Promise<MeasuringPlace> {
  if (certifying === undefined) throw new LoopError('not-available', 'There are no checks.')
  const parent = certifyFolder(folder)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const own = await makeOwnFolder(parent)
  try {
    const checkout = await openCheckout({
      folder: own.path,
      tree,
      blobs,
      ...(repository === undefined
        ? {}
        : { git: { repository, ...(commit === undefined ? {} : { commit }) } }),
    })
    const { readOnly, path } = checkout
    const opened = await certifying.open({ workspace: path, readOnly, signal })
    return {
      checkout,
      checks: opened.checks,
      agents: opened.agents,
      async close() {
        await opened.close()
        await checkout.remove()
      },
    }
  } catch (error) {
    await own.remove()
    throw error
  }
}
