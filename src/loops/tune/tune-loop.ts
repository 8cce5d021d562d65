/**
 * The loop type `tune`: improves files against cases, by the protocol. An iteration of the engine is one phase, or one trip of the
 * cycle; which one is next is the progress.
 *
 *   setup ─▶ interrogation ─▶ planning ─▶ calibration ─▶ baseline ─▶ iteration ─▶ … ─▶ synthesis
 *
 * A phase returns the next state; `checkPassage` compares it with what the phase has shown. So no phase can be left without its proof,
 * skipped without a person, or break an invariant of the protocol, whatever its code does.
 *
 * E6. The user's files change only by the action `edit-artifacts`; candidates are measured in copies. E12. A case that got worse is
 * asked about and logged.
 */

import { type Condition, FaultError, type Iteration, type LoopType } from '../../loop/index.ts'
import { type Answers, answersFile, noAnswers, parseAnswers } from './answers.ts'
import { checkPassage } from './check-passage.ts'
import { openSession } from './open-session.ts'
import { measureBaseline } from './phases/baseline.ts'
import { calibrate } from './phases/calibration.ts'
import { interrogate } from './phases/interrogation.ts'
import { iterate } from './phases/iteration.ts'
import { plan } from './phases/planning.ts'
import { setUp } from './phases/setup.ts'
import { synthesize } from './phases/synthesis.ts'
import type { LogEntry } from './report/log-entry.ts'
import { note, writeDocument } from './report/note.ts'
import { writeLog } from './report/write-log.ts'
import { readTuneInput } from './tune-input.ts'
import type { TuneInput, TuneSession, TuneSettings } from './tune-session.ts'
import { emptyState, exitReasons, type TuneState } from './tune-state.ts'

export interface TuneContext {
  readonly input: TuneInput
  readonly state: TuneState
}

export type TuneLoop = LoopType<unknown, TuneContext, TuneState, TuneState>

export function tuneLoop(settings: TuneSettings): TuneLoop {
  return {
    name: settings.name,
    version: settings.version ?? JSON.stringify({ ...settings, ports: undefined }),
    revision: 2,
    type: 'tune',
    createContext: (input, previous) => ({
      input: readTuneInput(input),
      state: previous ?? emptyState,
    }),
    iterate: ({ input, state }, it) => play(settings, input, state, it),
    extractProgress: (state) => state,
    until: conditions,
  }
}

async function play(
  settings: TuneSettings,
  input: TuneInput,
  state: TuneState,
  opened: Iteration,
): Promise<TuneState> {
  const answers = openAnswers(input, state)
  const { it, shown } = openSession(opened, answers, settings.ports?.now)
  const next = await takePhase({ it, settings, input, answers, shown }, state)
  const checked = { ...next, log: [...state.log, ...shown.entries] }
  checkPassage(state, checked, shown)
  // An aborted loop has no synthesis, and its log says why it was aborted.
  if (checked.phase === 'aborted') {
    const reason: LogEntry = { type: 'block', iteration: 0, text: `Aborted: ${checked.reason}` }
    await note(it, [reason])
    const log = [...state.log, ...shown.entries]
    await writeDocument(it, 'LOOP_LOG.md', writeLog(log))
    return { ...checked, log }
  }
  return checked
}

function openAnswers({ answers: file }: TuneInput, { log }: TuneState): Answers {
  if (file === undefined) return noAnswers
  const given = parseAnswers(file.text)
  if (typeof given === 'string') {
    throw new FaultError({
      code: 'bad-answers',
      message: `The answers file ${file.path} cannot be used: ${given}. Correct it, then run the loop again.`,
      retryable: false,
      fatal: true,
    })
  }
  const used = log.flatMap((entry) =>
    entry.type === 'interaction' && entry.by === answersFile ? [entry.question] : [],
  )
  return { given, used: new Set(used) }
}

function takePhase(session: TuneSession, state: TuneState): Promise<TuneState> {
  switch (state.phase) {
    case 'setup':
      return setUp(session)
    case 'interrogation':
      return interrogate(session, state)
    case 'planning':
      return plan(session, state)
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

const conditions: readonly Condition<TuneState, TuneState>[] = [
  ...exitReasons.map(
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
