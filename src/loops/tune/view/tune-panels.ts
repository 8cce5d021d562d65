/** The page of a tuning loop, as panels made from its view: where it stands, options to pick from, scores, cases, hypotheses. Pure. */

import type { Panel, PanelFacts, PanelMaker } from '../../../protocol/api/index.ts'
import { isJsonObject, type TuneView } from '../../../protocol/index.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { logRole } from '../report/note.ts'
import { points, tally } from '../report/numbers.ts'
import { emptyState, type TuneState } from '../tune-state.ts'
import { toView } from './to-view.ts'
import {
  panelsOfCases,
  panelsOfChanges,
  panelsOfHypotheses,
  panelsOfScores,
} from './trail-panels.ts'

export const tunePanels: PanelMaker = {
  name: 'Tuning',
  roles: [logRole, 'intent'],
  make(facts) {
    const view = viewOf(facts)
    const options = panelsOfOptions(view, facts)
    return [
      // What a person has to decide comes first.
      ...options,
      panelOfState(view),
      ...panelsOfScores(view),
      ...panelsOfChanges(view),
      ...panelsOfCases(view),
      ...panelsOfHypotheses(view),
    ]
  },
}

function viewOf({ state: { progress, open }, results }: PanelFacts): TuneView {
  const state = isJsonObject(progress) ? (progress as unknown as TuneState) : emptyState
  const intent = results.findLast(({ role }) => role === 'intent')?.value
  return toView({
    run: '',
    state,
    // What the open iteration noted so far is only in its steps.
    open: results.flatMap(({ iteration, role, value }) =>
      role === logRole && iteration === open?.iteration
        ? (value as unknown as readonly LogEntry[])
        : [],
    ),
    ...(typeof intent === 'string' ? { intent } : {}),
  })
}

function panelOfState(view: TuneView): Panel {
  const { intent, exit } = view
  const rows = rowsOf(view).filter(([, value]) => value !== undefined && value !== '')
  return {
    type: 'table',
    title: 'Where it stands',
    ...(exit === undefined
      ? intent === undefined
        ? {}
        : { text: intent.slice(0, textCharsMax) }
      : { text: `Ended: ${exit}.` }),
    columns: ['What', 'Now'],
    rows: rows.map(([name, value = '']) => [name, value.slice(0, textCharsMax)]),
  }
}

function rowsOf(view: TuneView): readonly (readonly [string, string | undefined])[] {
  const { workload, noise, best, history, holdout, proof, broken, suspect, applied } = view
  const [baseline] = history
  const cases = workload?.cases
  return [
    ['Workload', workload?.id],
    ['Files', workload?.artifacts.join(', ')],
    [
      'Cases',
      cases === undefined
        ? undefined
        : `${cases.suite} measured, ${cases.sealed} sealed, ${cases.excluded} left out`,
    ],
    ['Noise', noise?.text],
    ['Before', baseline === undefined ? undefined : `${tally(baseline.passing)} cases pass`],
    [
      'Best so far',
      best === undefined ? undefined : `${tally(best.passing)} cases pass. ${best.text}`,
    ],
    ['Proof', proof?.text ?? (best === undefined ? undefined : withoutProof(view.phase))],
    ['Holdout', workload === undefined ? undefined : holdout.text],
    ['Found worse by the proof', broken.join(', ')],
    ['Undecided by the proof', suspect.join(', ')],
    ['The files', applied === undefined ? undefined : appliedWords[applied]],
  ]
}

const withoutProof = (phase: TuneView['phase']): string =>
  phase === 'ended'
    ? 'Nothing was kept, so there is nothing to prove.'
    : 'At the end, on fresh runs. Until then nothing is claimed.'

const appliedWords = {
  applied: 'changed',
  refused: 'not changed, because it was not allowed',
  nothing: 'not changed',
} as const

/** The options of the newest round. While its question is open, each can be picked. */
function panelsOfOptions({ rounds }: TuneView, { questions }: PanelFacts): readonly Panel[] {
  const round = rounds.at(-1)
  if (round === undefined) return []
  const { options, rootCause, decision } = round
  const ids = options.map(({ id }) => id)
  const asked = questions.find(({ question }) => ids.some((id) => question.options?.includes(id)))
  // What is decided stands in the table of changes.
  if (asked === undefined && decision !== undefined) return []
  return options.map(({ id, name, summary, mechanism, isRecommended, edits, expected }): Panel => {
    const gain = expected === undefined ? '' : ` Expected: ${points(expected)}.`
    const why = isRecommended ? `${rootCause}\n` : ''
    return {
      type: 'diff',
      title: `Option ${id}${isRecommended ? ' (recommended)' : ''}: ${name}`.slice(
        0,
        titleCharsMax,
      ),
      text: `${why}${summary} ${mechanism}.${gain}`.slice(0, textCharsMax),
      changes: edits.slice(0, editsMax).map(({ file, section, current, proposed }) => ({
        path: (section === '' ? file : `${file} (${section})`).slice(0, textCharsMax),
        before: current.slice(0, editCharsMax),
        after: proposed.slice(0, editCharsMax),
      })),
      ...(asked === undefined ? {} : { answer: { question: asked.id, option: id } }),
    }
  })
}

const titleCharsMax = 200
const textCharsMax = 2000
const editsMax = 50
const editCharsMax = 50_000
