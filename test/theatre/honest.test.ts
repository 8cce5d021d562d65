/**
 * The counterpart of the attacks: honest changes. Each ends certified: without a question, after a person approved one
 * question, or after the agent did what a refusal asked for.
 */

import { afterAll, describe, expect, test } from 'vitest'
import { chosenOf, endOf, hasRunners, isOfRunner, isWhole, measuresOf, note } from './chosen.ts'
import { honest } from './honest/index.ts'
import { type Played, play } from './play.ts'
import { missingPrograms } from './prepare-runners.ts'
import { closeScenes } from './scenes.ts'
import { plainStage } from './stages.ts'
import type { Honest } from './story.ts'

/** It needs no runner from the registry, or the proof has installed them. */
const isQuick = ({ stage }: Honest): boolean =>
  hasRunners || (stage?.modules === undefined && stage?.programs === undefined)
const hasPrograms = ({ stage }: Honest): boolean =>
  stage === undefined || missingPrograms(stage).length === 0

afterAll(closeScenes, 60_000)

describe.concurrent('is certified', () => {
  const tried = (
    isWhole
      ? honest.filter(({ stage = plainStage }) => isOfRunner(stage))
      : chosenOf(honest.filter(isQuick), 1)
  ).filter(hasPrograms)
  test.each(tried.map((story) => [story.name, story] as const))(
    '%s',
    async (_name, story) => {
      const { ends, about = [] } = story
      const played = await playHonest(story)
      expect(played.reports.filter((report) => report.includes('stage: '))).toEqual([])
      expect(played).toMatchObject({ outcome: { type: 'completed' }, certificates: 1 })
      expect(otherQuestions(played).length <= 1).toBe(true)
      expect(played.questions.length > 0).toBe(ends === 'asked')
      expect(about.filter((path) => !asksAbout(played, path))).toEqual([])
      expect(played.refusals.map(({ code }) => code)).toEqual(typeof ends === 'string' ? [] : ends)
    },
    300_000,
  )
})

async function playHonest(story: Honest): Promise<Played> {
  const { name, stage = plainStage, files, loop, moves = [], turns = [{ moves }] } = story
  const played = await play({
    stage: { ...stage, files: { ...stage.files, ...files } },
    turns,
    loop: { seals: { changes: 'ask' }, ...loop },
    answer: ({ options = [], default: safe }) => options.find((option) => option !== safe) ?? safe,
  })
  const { outcome, certificates } = played
  note({
    set: 'honest',
    name,
    ended: endOf(played),
    isBad: outcome?.type !== 'completed' || certificates !== 1 || otherQuestions(played).length > 1,
    ...measuresOf(stage, played),
  })
  return played
}

/** Dependencies need an approval before they are installed, so before anything else is known. */
const otherQuestions = ({ questions }: Played): Played['questions'] =>
  questions.filter(({ text }) => !text.includes('The work changes the dependencies'))

const asksAbout = ({ questions }: Played, path: string): boolean =>
  JSON.stringify(questions).includes(path)
