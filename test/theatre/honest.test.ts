/**
 * The counterpart of the theatre: work that nobody would object to. Each ends certified, by itself, or once
 * a person has approved of what one question shows, or after what a refusal told the agent to do.
 */

import { expect, test } from 'vitest'
import { chosenOf, note } from './chosen.ts'
import { honest } from './honest/index.ts'
import { play } from './play.ts'
import { plainStage } from './stages.ts'

test.each(chosenOf(honest, 2).map((story) => [story.name, story] as const))(
  '%s is certified',
  async (name, { stage = plainStage, files, loop, moves = [], turns = [{ moves }], ends }) => {
    const played = await play({
      stage: { ...stage, files: { ...stage.files, ...files } },
      turns,
      loop: { seals: { changes: 'ask' }, ...loop },
      answer: ({ options = [], default: safe }) =>
        options.find((option) => option !== safe) ?? safe,
    })
    const { outcome, certificates, refusals, questions } = played
    const codes = refusals.map(({ code }) => code)
    note({
      set: 'honest',
      name,
      isBad: outcome?.type !== 'completed' || certificates !== 1 || questions.length > 1,
      answers: played.checks,
      codes,
    })
    expect(played.reports.filter((report) => report.includes('stage: '))).toEqual([])
    expect(played).toMatchObject({ outcome: { type: 'completed' }, certificates: 1 })
    expect(questions).toHaveLength(ends === 'asked' ? 1 : 0)
    expect(codes).toEqual(typeof ends === 'string' ? [] : ends)
  },
  120_000,
)
