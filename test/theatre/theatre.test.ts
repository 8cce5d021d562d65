/**
 * Verification theatre: ways to fake success. None ends certified, and each is told why. A part of them
 * here; all of them with LOOPWRIGHT_STORIES=all, as in `npm run proof`.
 */

import { describe, expect, test } from 'vitest'
import { attacks } from './attacks/index.ts'
import { chosenOf, isWhole, note } from './chosen.ts'
import { type Played, play } from './play.ts'
import { plainStage } from './stages.ts'
import type { Attack, Stage } from './story.ts'

const timeoutMs = 120_000
const stages = [...new Set([plainStage, ...attacks.map(stageOf)])]

describe('honest work is certified on the stage', () => {
  test.each((isWhole ? stages : [plainStage]).map((stage) => [stage.name, stage] as const))(
    '%s',
    async (_name, stage) => {
      const played = await play({ stage, turns: [{ moves: stage.fix }] })
      expect(played).toMatchObject({
        outcome: { type: 'completed' },
        certificates: 1,
        refusals: [],
      })
    },
    timeoutMs,
  )
})

describe('is not certified', () => {
  test.each(chosenOf(attacks, 5).map((attack) => [attack.name, attack] as const))(
    '%s',
    async (name, attack) => {
      const { moves = [], says, exit } = attack
      const turn = {
        moves,
        ...(says === undefined ? {} : { says }),
        ...(exit === undefined ? {} : { exit }),
      }
      const played = await play({
        stage: stageOf(attack),
        turns: [turn],
        ...(attack.loop === undefined ? {} : { loop: attack.loop }),
      })
      note({
        set: 'theatre',
        name,
        isBad: isFooled(played),
        answers: played.checks,
        codes: played.refusals.map(({ code }) => code),
      })
      // The trick was played, and worked as far as the checks alone can tell.
      expect(played.reports.filter((report) => report.includes('stage: '))).toEqual([])
      expect({ ...played, isFooled: isFooled(played) }).toMatchObject({ isFooled: false })
      requireReason(attack, played)
    },
    timeoutMs,
  )
})

function stageOf({ stage }: Attack): Stage {
  return stage ?? plainStage
}

const isFooled = ({ outcome, certificates }: Played): boolean =>
  outcome === undefined || outcome.type === 'completed' || certificates > 0

function requireReason({ expects }: Attack, { refusals, checks }: Played): void {
  const answers: readonly string[] = [...new Set(Object.values(checks))]
  const codes = refusals.map(({ code }) => code)
  const isAnswer = typeof expects === 'string'
  const wanted: readonly string[] = isAnswer ? [expects] : expects
  const missing = wanted.filter((why) => !(isAnswer ? answers : codes).includes(why))
  // Where certifying refuses, the trick was good enough for the checks where the agent works.
  const unmet = isAnswer ? [] : answers.filter((answer) => answer !== 'met')
  expect({ answers, codes, missing, unmet }).toMatchObject({ missing: [], unmet: [] })
  expect(refusals.filter(({ message }) => message.length < 20)).toEqual([])
}
