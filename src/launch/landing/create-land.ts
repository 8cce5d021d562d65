/** How a run puts its work into the merge queue. */

import type { HostPorts } from '../../runs/host-ports.ts'
import type { LandRun } from '../authority/run-repository.ts'
import type { MergedCertifier } from './certify-merged.ts'

export function createLand(
  base: Pick<HostPorts, 'journal' | 'clock'>,
  certify: MergedCertifier,
): LandRun {
  const { journal, clock } = base
  const land: LandRun = async ({ work, git, repository, run, context }) => {
    const { landWork } = await import('./land-work.ts')
    const request = { ...work, run, repository: repository.commonDir, queuedAtMs: clock.now() }
    return landWork(base, git, { request, ...certify(context) }, context.signal)
  }
  land.settle = async ({ repository, target, git }) => {
    const { settleLine } = await import('./land-work.ts')
    await settleLine(journal.merges, git, { repository: repository.commonDir, target })
  }
  return land
}
