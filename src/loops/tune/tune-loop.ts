/**
 * The loop type `tune`: improves files against cases, by the protocol. An iteration of the engine is one phase, or one trip of the
 * cycle; which one is next is the progress.
 *
 *   setup ─▶ calibration ─▶ baseline ─▶ iteration ─▶ … ─▶ synthesis
 *
 * E6. The user's files change only by the action `edit-artifacts`; candidates are measured in copies. E12. A case that got worse is
 * asked about and logged.
 */

import type { Condition, LoopType } from '../../loop/index.ts'
import { isJsonObject } from '../../protocol/index.ts'
import { measureBaseline } from './phases/baseline.ts'
import { calibrate } from './phases/calibration.ts'
import { iterate } from './phases/iteration.ts'
import { setUp } from './phases/setup.ts'
import { synthesize } from './phases/synthesis.ts'
import type { TuneInput, TuneSession, TuneSettings } from './tune-session.ts'
import { type ExitReason, emptyState, type TuneState } from './tune-state.ts'

export interface TuneContext {
  readonly input: TuneInput
  readonly state: TuneState
}

export type TuneLoop = LoopType<unknown, TuneContext, TuneState, TuneState>

export function tuneLoop(settings: TuneSettings): TuneLoop {
  return {
    name: settings.name,
    version: settings.version ?? JSON.stringify({ ...settings, ports: undefined }),
    revision: 1,
    type: 'tune',
    createContext: (input, previous) => ({
      input: readTuneInput(input),
      state: previous ?? emptyState,
    }),
    iterate: ({ input, state }, it) => takePhase({ it, settings, input }, state),
    extractProgress: (state) => state,
    until: conditions,
  }
}

function takePhase(session: TuneSession, state: TuneState): Promise<TuneState> {
  switch (state.phase) {
    case 'setup':
      return setUp(session)
    case 'calibration':
      return calibrate(session, state)
    case 'baseline':
      return measureBaseline(session, state)
    case 'iteration':
      return iterate(session, state)
    case 'synthesis':
      return synthesize(session, state)
    case 'ended':
    case 'aborted':
      return Promise.resolve(state)
  }
}

export function readTuneInput(input: unknown): TuneInput {
  const given = isJsonObject(input) ? input : {}
  const { manifest, case: only } = given
  const { path, text } = isJsonObject(manifest) ? manifest : {}
  return {
    manifest: {
      path: typeof path === 'string' ? path : '',
      text: typeof text === 'string' ? text : '',
    },
    ...(typeof only === 'string' && only !== '' ? { case: only } : {}),
  }
}

const exits: readonly ExitReason[] = [
  'converged',
  'max-iterations',
  'plateau',
  'net-negative',
  'no-options-left',
  'regression',
  'stopped',
]

const conditions: readonly Condition<TuneState, TuneState>[] = [
  ...exits.map(
    (exit): Condition<TuneState, TuneState> => ({
      type: 'custom',
      name: exit,
      met: (state) => state.phase === 'ended' && state.exit === exit,
    }),
  ),
  {
    type: 'custom',
    name: 'calibration',
    ends: 'stuck',
    met: ({ phase }) => phase === 'aborted',
    describe: (state) => (state.phase === 'aborted' ? state.reason : ''),
  },
]
