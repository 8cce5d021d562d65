/** Phase 0: reads the manifest and what it names. */

import { leavePhase, openPhase } from '../phase-proofs.ts'
import type { TuneSession } from '../tune-session.ts'
import type { TuneState } from '../tune-state.ts'
import { openWorkload, requireManifest } from '../workload/open-workload.ts'

export async function setUp(session: TuneSession): Promise<TuneState> {
  const { it, settings, input } = session
  const { mode, pick } = settings
  const { path, text } = input.manifest
  const { workloadId } = requireManifest(path, text)
  await openPhase(
    it,
    'setup',
    `Iterating on the workload ${workloadId}. Mode: ${mode}. Reads the manifest, its cases and its artifacts.`,
  )
  const workload = await openWorkload(session, input.manifest)
  const { suite, holdout } = workload.split
  await leavePhase(it, 'setup', {
    mode,
    session: settings.ports?.run ?? settings.name,
    manifest: path,
    flags: input.case === undefined ? `pick ${pick}` : `pick ${pick}, case ${input.case}`,
    routing: `calibration, with ${suite.length} cases and ${holdout.length} sealed ones`,
  })
  return { phase: 'calibration', workload, mode, attempts: [], log: [] }
}
