/**
 * Phase 1: asks about the workload, topic by topic, and makes its manifest from the answers. The manifest is shown, adjusted and
 * confirmed; where it is saved is asked once it passed the calibration.
 */

import { passGate } from '../gates.ts'
import {
  adjustManifest,
  type DraftManifest,
  draftManifest,
} from '../interrogation/draft-manifest.ts'
import { draftPrompts } from '../interrogation/draft-prompts.ts'
import { type Depth, depths, type Topic, topics, topicsOf } from '../interrogation/topics.ts'
import { leavePhase, openPhase } from '../phase-proofs.ts'
import { askText, askWhich } from '../questions.ts'
import type { TuneSession } from '../tune-session.ts'
import type { TuneState } from '../tune-state.ts'
import { beginWith } from './open-setup.ts'

type Interrogating = Extract<TuneState, { phase: 'interrogation' }>

interface Said {
  readonly topics: { readonly [topic: string]: string }
  readonly fields: { readonly [field: string]: string }
  readonly rounds: number
}

const changesMax = 20
const followUpsMax = 5

export async function interrogate(session: TuneSession, state: Interrogating): Promise<TuneState> {
  const { it, settings } = session
  await openPhase(
    it,
    'interrogation',
    `Interrogating assumptions about the workload before designing experiments. Builds a manifest from structured questions.`,
  )
  const depth = await askWhich<Depth>(session, 'depth', {
    text: 'How deep should the interrogation go? short: 3 topics and what a manifest needs; medium: 6; long: 9; absolute: all of them.',
    options: depths,
    default: 'short',
    policy: 'short',
    happened: topics.map(({ name, question }) => `${name}: ${question}`),
  })
  const said = await askTopics(session, topicsOf[depth], depth === 'absolute')
  const draft = await confirmManifest(session, draftManifest(said.fields))
  if (typeof draft === 'string') return { phase: 'aborted', reason: draft, log: state.log }
  const prompts = await draftPrompts(session, draft.text)
  const gate = await passGate(session, {
    from: 'interrogation',
    text: 'The interrogation is complete. How to proceed?',
    choices: [
      { label: 'proceed to planning', to: 'planning' },
      { label: 'skip to calibration', to: 'calibration' },
      { label: 'ask again', to: 'interrogation' },
    ],
  })
  if (gate.to === 'interrogation') return state
  await leavePhase(it, 'interrogation', {
    depthChosen: depth,
    roundsCompleted: `${said.rounds}`,
    manifestValidated: `valid, ${draft.text.length} characters`,
  })
  const manifest = { path: settings.manifest, text: draft.text }
  return beginWith(session, manifest, {
    to: gate.to === 'calibration' ? 'calibration' : 'planning',
    topics: said.topics,
    unsaved: [{ path: settings.manifest, text: draft.text }, ...prompts],
    log: state.log,
  })
}

/** A round is a topic: its open question, and the fields of the manifest that belong to it. */
async function askTopics(session: TuneSession, count: number, isAbsolute: boolean): Promise<Said> {
  const said: Record<string, string> = {}
  const fields: Record<string, string> = {}
  let rounds = 0
  let wanted = count
  for (const [at, topic] of topics.entries()) {
    if (at === wanted && (await wantsMore(session, topics.slice(at)))) wanted = topics.length
    const isAsked = at < wanted
    if (isAsked) {
      const answer = await askText(session, `topic ${topic.name}`, { text: topic.question })
      if (answer !== undefined) said[topic.name] = answer
    }
    Object.assign(fields, await askFields(session, topic, isAsked))
    rounds += isAsked ? 1 : 0
  }
  for (let more = 1; isAbsolute && more <= followUpsMax; more++) {
    const text = 'What else should be known before experiments are designed? Empty: nothing.'
    const answer = await askText(session, `anything else ${more}`, { text })
    if (answer === undefined) break
    said['goals'] = [said['goals'], answer].filter((one) => one !== undefined).join(' ')
    rounds++
  }
  return { topics: said, fields, rounds }
}

/** The gate after the least number of rounds. */
const wantsMore = async (session: TuneSession, rest: readonly Topic[]): Promise<boolean> =>
  (await askWhich(session, 'more topics', {
    text: `Enough? ${rest.length} topics are left: ${rest.map(({ name }) => name).join(', ')}.`,
    options: ['enough', 'ask about all of them'],
    default: 'enough',
    policy: 'enough',
    happened: [],
  })) !== 'enough'

async function askFields(
  session: TuneSession,
  { fields }: Topic,
  isAsked: boolean,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { name, question, isRequired } of fields) {
    if (!isAsked && !isRequired) continue
    const answer = await askText(session, name, { text: question })
    if (answer !== undefined) answers[name] = answer
  }
  return answers
}

/** Shown, adjusted, confirmed. A text: why there is none. */
async function confirmManifest(
  session: TuneSession,
  first: DraftManifest,
): Promise<DraftManifest | string> {
  let draft = first
  for (let change = 1; change <= changesMax; change++) {
    const { text, problems } = draft
    const isValid = problems.length === 0
    const answer = await askWhich(session, `confirm manifest ${change}`, {
      text: `${isValid ? 'Is this manifest right?' : `The manifest is not complete: ${problems.join('; ')}`}\n\n${text}`,
      options: isValid ? ['confirm', 'change', 'stop'] : ['change', 'stop'],
      default: isValid ? 'confirm' : 'stop',
      policy: isValid ? 'confirm' : 'stop',
      happened: problems,
    })
    if (answer === 'confirm') return draft
    if (answer === 'stop') break
    const said = await askText(session, `change manifest ${change}`, {
      text: 'Which field gets which value? Write it as field = value; an empty value removes it.',
    })
    const adjusted = adjustManifest(text, said ?? '')
    draft = typeof adjusted === 'string' ? { text, problems: [...problems, adjusted] } : adjusted
    if (typeof adjusted === 'string' && isValid) draft = first
  }
  const { problems } = draft
  const why = problems.length === 0 ? 'it was not confirmed' : problems.join('; ')
  return `the interrogation made no manifest: ${why}. Answer again, or write one (schemas/manifest.schema.json) and name it with --manifest`
}
