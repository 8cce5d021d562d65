/** The steps of an iteration that find and load skills. Their role is `skills`; run folders and reports show their results. */

import type { Iteration } from '../../loop/index.ts'
import {
  chooseSkills,
  describeSkills,
  type LoadedSkill,
  limitSkill,
  type Skill,
  type SkillListing,
  type SkillReader,
  type SkillSettings,
} from './skills.ts'

/** The results of steps with the role `skills`. */
export type SkillStepResult =
  | ({ readonly type: 'found' } & SkillListing)
  | {
      readonly type: 'chosen'
      readonly agent: SkillUser
      readonly task: string
      readonly strategy: 'hint' | 'match' | 'none'
      readonly skills: readonly { readonly name: string; readonly reason: string }[]
      /** Hints that name no skill. */
      readonly problems: readonly string[]
      readonly failed: readonly { readonly name: string; readonly reason: string }[]
      readonly cut: readonly { readonly name: string; readonly charsMax: number }[]
      /** For the prompt. */
      readonly text: string
    }

export type SkillUser = 'maker' | 'reviewer'

const options = { readOnly: true, role: 'skills' } as const

/** Once in a run, before its agents work: later changes of these files have no effect. */
export async function findSkills(
  it: Iteration,
  reader: SkillReader,
  { dirs }: SkillSettings,
): Promise<readonly Skill[]> {
  const find = async (): Promise<SkillStepResult> => ({
    type: 'found',
    ...(await reader.list(dirs)),
  })
  const found = await it.step('skills', find, options)
  return found.type === 'found' ? found.skills : []
}

/** The text for the prompt; empty if no skill fits. A skill that cannot be loaded is left out. */
export async function loadSkills(
  it: Iteration,
  reader: SkillReader,
  settings: SkillSettings,
  { agent, task, skills }: SkillRequest,
): Promise<string> {
  if (skills.length === 0 || settings[agent] === 0) return ''
  const load = (): Promise<SkillStepResult> => readChosen(reader, settings, { agent, task, skills })
  const loaded = await it.step(`skills-${agent}`, load, options)
  return loaded.type === 'chosen' ? loaded.text : ''
}

export interface SkillRequest {
  readonly agent: SkillUser
  /** The text of the task. */
  readonly task: string
  readonly skills: readonly Skill[]
}

async function readChosen(
  reader: SkillReader,
  settings: SkillSettings,
  { agent, task, skills }: SkillRequest,
): Promise<SkillStepResult> {
  const { strategy, chosen, problems } = chooseSkills(skills, task, settings[agent])
  const loaded: LoadedSkill[] = []
  const failed: { name: string; reason: string }[] = []
  for (const { skill } of chosen) {
    try {
      const text = await reader.load(skill, settings.references)
      loaded.push(limitSkill(skill, text, settings.charsMax))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      failed.push({ name: skill.name, reason })
    }
  }
  const { charsMax } = settings
  return {
    type: 'chosen',
    agent,
    task,
    strategy,
    skills: chosen.map(({ skill, reason }) => ({ name: skill.name, reason })),
    problems,
    failed,
    cut: loaded.flatMap(({ name, charsBefore }) =>
      charsBefore === undefined ? [] : [{ name, charsMax }],
    ),
    text: describeSkills(loaded),
  }
}
