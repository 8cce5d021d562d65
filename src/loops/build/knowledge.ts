/**
 * What a prompt contains besides spec and plan: skills, learnings and measurements. Reading and writing them are steps of
 * the iteration.
 */

import { defined } from '../../loop/index.ts'
import {
  addLearnings,
  describeLearnings,
  findLearnings,
  type Learning,
} from '../context/learnings.ts'
import { describeMeasurements, type Measurement } from '../context/measure.ts'
import { measureWork } from '../context/measure-step.ts'
import { findSkills, loadSkills, type SkillUser } from '../context/skill-steps.ts'
import type { Skill } from '../context/skills.ts'
import type { BuildResult } from './build-progress.ts'
import { describeFinding } from './build-progress.ts'
import { filesOf, type Session } from './build-session.ts'
import type { Implemented } from './implement.ts'

/** Of the file with learnings: a longer one is not used. */
const learningsCharsMax = 64_000
const findingsMax = 2

/** The skills of the run. They are looked up once, before any agent works. */
export async function findRunSkills({
  it,
  settings: { skills, ports },
  progress,
}: Session): Promise<readonly Skill[]> {
  if (skills === undefined || ports === undefined) return []
  return progress.skills ?? (await findSkills(it, ports.skills, skills))
}

/** The text of the skills that fit a task; empty if there are none. */
export async function readSkills(
  { it, settings: { skills: settings, ports }, skills }: Session,
  agent: SkillUser,
  task: string,
): Promise<string> {
  if (settings === undefined || ports === undefined || skills === undefined) return ''
  return loadSkills(it, ports.skills, settings, { agent, task, skills })
}

/** Inside of a step. Undefined: the loop keeps none, or the file is too long and stays as it is. Empty: nothing was learned yet. */
export async function readLearnings(session: Session): Promise<string | undefined> {
  const { learnings } = session.settings
  if (learnings === undefined) return undefined
  const text = (await filesOf(session).read(learnings)) ?? ''
  return text.length <= learningsCharsMax ? text : undefined
}

export const describeKnowledge = (
  learnings: string | undefined,
  measurements: readonly Measurement[] = [],
): { readonly learnings: string; readonly metrics: string } => ({
  learnings: learnings === undefined ? '' : describeLearnings(learnings),
  metrics: describeMeasurements(measurements),
})

/** Writes what was learned about a task. An edit of the agent is undone: only the engine writes this file. */
export async function keepLearnings(
  session: Session,
  task: number | undefined,
  made: Implemented | undefined,
  review: BuildResult['review'],
): Promise<void> {
  const { it, settings, progress } = session
  const { learnings: path, ports } = settings
  if (path === undefined || made?.learnings === undefined) return
  const where = [`run ${ports?.run ?? settings.name}`, `iteration ${it.number}`]
  const source = [...where, ...(task === undefined ? [] : [`task ${task + 1}`])].join(', ')
  const found = [
    ...findLearnings(made.report.text),
    ...fixedFindings(progress.review, task, review),
  ]
  const added = found.map((text): Learning => ({ text, source }))
  const text = addLearnings(made.learnings, added)
  const { isOther } = await it.step(
    'learnings',
    async () => ({
      learned: added.map((one) => ({ ...one })),
      isOther: ((await filesOf(session).read(path)) ?? '') !== text,
    }),
    { readOnly: true, role: 'learnings' },
  )
  if (!isOther) return
  await it.step('learnings-file', () => filesOf(session).write(path, text), {
    role: 'learnings-file',
  })
}

/** What a review found before and a later one accepts is worth knowing for the next task. */
function fixedFindings(
  before: Session['progress']['review'],
  task: number | undefined,
  review: BuildResult['review'],
): readonly string[] {
  if (review !== 'pass' || before === undefined || before.task !== task) return []
  if (before.verdict !== 'fail') return []
  return before.reasons
    .slice(0, findingsMax)
    .map((finding) => `A review found, and it was fixed: ${describeFinding(finding)}`)
}

/** Undefined: the loop measures nothing. */
export async function measure(session: Session): Promise<Measurement | undefined> {
  const { it, settings, input } = session
  const { measure: command, ports } = settings
  if (command === undefined || ports === undefined) return undefined
  return measureWork(it, ports, command, defined({ spec: input.spec?.path }).spec)
}
