/** Chooses which stories to run: a few by a seed, or all of them. */

import { appendFileSync } from 'node:fs'
import type { Played } from './play.ts'
import type { AttackClass, Stage, StageRunner } from './story.ts'

/** `all`, or a seed. */
const asked = process.env['LOOPWRIGHT_STORIES'] ?? '1'

export const isWhole: boolean = asked === 'all'

/** Of the proof, which plays the stories of one test runner after the other. */
const onlyRunner = process.env['LOOPWRIGHT_STORIES_RUNNER']

export const isOfRunner = (stage: Stage): boolean =>
  onlyRunner === undefined || (stage.runner ?? 'other') === onlyRunner

/** Whether the proof has installed the runners from the registry. */
export const hasRunners: boolean = process.env['LOOPWRIGHT_RUNNERS'] !== undefined

export function chosenOf<Story>(stories: readonly Story[], wanted: number): readonly Story[] {
  if (isWhole) return stories
  let seed = Math.max(1, Number.parseInt(asked, 10) || 1)
  const share = Number(process.env['LOOPWRIGHT_STORIES_SHARE'] ?? 0)
  const count = Math.max(wanted, Math.round(stories.length * share))
  const left = [...stories]
  const chosen: Story[] = []
  while (left.length > 0 && chosen.length < count) {
    seed = (seed * 48_271) % 2_147_483_647
    chosen.push(...left.splice(seed % left.length, 1))
  }
  return chosen
}

export interface Told {
  readonly set: 'theatre' | 'honest' | 'class-10'
  readonly name: string
  readonly runner: StageRunner
  /** Of an attack. */
  readonly class?: AttackClass
  /** `none`: the checks did not pass, or it ended in another way. */
  readonly ended: 'certified' | 'asked' | 'refused' | 'none'
  /** It ended in a way that is not allowed. */
  readonly isBad: boolean
  /** Class 10: whether it should be caught. */
  readonly expected?: 'caught' | 'not-caught'
  readonly answers: Readonly<Record<string, string>>
  readonly codes: readonly string[]
  readonly checkMs: number
  readonly certifyMs: number
}

/** For the proof, which counts them: one line each. */
export function note(told: Told): void {
  const file = process.env['LOOPWRIGHT_STORIES_REPORT']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(told)}\n`)
}

/** The result of the run. */
export function endOf({ certificates, questions, refusals }: Played): Told['ended'] {
  if (questions.length > 0) return 'asked'
  if (certificates > 0) return 'certified'
  return refusals.length > 0 ? 'refused' : 'none'
}

/** For every story. */
export const measuresOf = (
  { runner = 'other' }: Stage,
  { checks, refusals, checkMs, certifyMs }: Played,
): Pick<Told, 'runner' | 'answers' | 'codes' | 'checkMs' | 'certifyMs'> => ({
  runner,
  answers: checks,
  codes: refusals.map(({ code }) => code),
  checkMs,
  certifyMs,
})
