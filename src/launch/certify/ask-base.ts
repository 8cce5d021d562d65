/** Runs a check on the base of a run, in a clean checkout, once for each base. */

import { findBaseResult } from '../../evidence/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import { createTreeReader } from '../../workspace/tree-reader.ts'
import type { CertifyingParts } from '../checks/certifying-parts.ts'
import type { AskBase } from '../checks/existing-failures.ts'
import { createFileBaseAnswers } from './file-base-answers.ts'
import { openCertifyingCheckout } from './open-certifying-checkout.ts'

export function createAskBase(
  { folder: stateFolder, blobs, clock }: Pick<HostPorts, 'folder' | 'blobs' | 'clock'>,
  { workspace, checkout, placed }: Pick<RunPlace, 'workspace' | 'checkout' | 'placed'>,
  certifying: CertifyingParts,
): AskBase {
  const repository = placed?.repository
  const reader = createTreeReader({ blobs, folder: stateFolder, repository })
  const options = { reader, blobs, stateFolder, repository, workspace, checkout, certifying }
  return async (name, context) => {
    const { base, signal } = context
    if (base === undefined) return undefined
    const place = await openCertifyingCheckout({ tree: base, lockfileTree: base, signal }, options)
    try {
      const check = place.checks.find((one) => one.name === name)
      if (check === undefined) return undefined
      const run = { context, now: () => clock.now() }
      return await findBaseResult(base, check, place, run, createFileBaseAnswers(stateFolder))
    } finally {
      await place.close()
    }
  }
}
