/** Phase 0: reads the flags and the manifest, and decides which phase is next. */

import { openPhase } from '../phase-proofs.ts'
import type { TuneSession } from '../tune-session.ts'
import type { TuneState } from '../tune-state.ts'
import { requireManifest } from '../workload/open-workload.ts'
import { continueLoop } from './continue-loop.ts'
import { beginWith, leaveSetup } from './open-setup.ts'

export async function setUp(session: TuneSession): Promise<TuneState> {
  const { it, settings, input } = session
  const { mode } = settings
  const { path, text } = input.manifest
  const name = text === '' ? 'a new' : `the ${requireManifest(path, text).workloadId}`
  await openPhase(
    it,
    'setup',
    `Iterating on ${name} workload. Mode: ${mode}. Trigger: ${input.request === undefined ? 'a run' : input.request.path}. Reads flags, manifest, cases and artifacts.`,
  )
  if (input.log !== undefined) return continueLoop(session, input.log)
  if (text === '') {
    await leaveSetup(session, 'no manifest yet', 'interrogation')
    return { phase: 'interrogation', log: [] }
  }
  const to = input.plan === undefined ? 'planning' : 'calibration'
  await leaveSetup(session, path, to)
  return beginWith(session, input.manifest, { to, topics: {}, unsaved: [], log: [] })
}
