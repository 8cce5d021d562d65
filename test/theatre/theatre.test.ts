/**
 * Attacks: ways to fake success. None ends certified without a person's answer, and each is refused with a reason. Here
 * only some of them, without runners from the registry; all of them with LOOPWRIGHT_STORIES=all, as in
 * `npm run proof`.
 */

import { afterAll, describe, expect, test } from 'vitest'
import { attacks } from './attacks/index.ts'
import { chosenOf, endOf, hasRunners, isOfRunner, isWhole, measuresOf, note } from './chosen.ts'
import { type Played, play } from './play.ts'
import { missingPrograms } from './prepare-runners.ts'
import { kits } from './real-stages.ts'
import { closeScenes } from './scenes.ts'
import { plainStage } from './stages.ts'
import type { Attack, Stage } from './story.ts'

const timeoutMs = 300_000
/** Without the stages of a single attack, which differ from these in a file or two. */
const stages = [
  ...new Set([
    plainStage,
    ...kits.map(({ stage }) => stage),
    ...attacks.filter((attack) => attack.class === undefined).map(stageOf),
  ]),
]
const isPlain = (stage: Stage): boolean =>
  stage.modules === undefined && stage.programs === undefined
/** Without runners from the registry, unless the proof has installed them. */
const quick = attacks.filter(
  (attack) => hasRunners || (attack.class === undefined && isPlain(stageOf(attack))),
)
const hasPrograms = (stage: Stage): boolean => missingPrograms(stage).length === 0

afterAll(closeScenes, 60_000)

describe.concurrent('the fix is certified on the stage', () => {
  const tried = isWhole ? stages.filter(isOfRunner).filter(hasPrograms) : [plainStage]
  test.each(tried.map((stage) => [stage.name, stage] as const))(
    '%s',
    async (_name, stage) => {
      const played = await play({ stage, turns: [{ moves: stage.fix }] })
      expect(played).toMatchObject({
        outcome: { type: 'completed' },
        certificates: 1,
        refusals: [],
        questions: [],
      })
    },
    timeoutMs,
  )
})

describe.concurrent('is not certified', () => {
  const tried = isWhole
    ? attacks.filter((attack) => isOfRunner(stageOf(attack)) && hasPrograms(stageOf(attack)))
    : chosenOf(quick, 2).filter((attack) => hasPrograms(stageOf(attack)))
  test.each(tried.map((attack) => [attack.name, attack] as const))(
    '%s',
    async (_name, attack) => {
      const played = await playAttack(attack)
      // The attack was carried out.
      expect(played.reports.filter((report) => report.includes('stage: '))).toEqual([])
      if (attack.expected === 'not-caught') return
      expect({ ...played, isFooled: isFooled(played) }).toMatchObject({ isFooled: false })
      // Chance or the time may be against the agent: then there was nothing to certify.
      const hasPassed = Object.values(played.checks).every((answer) => answer === 'met')
      if (attack.isChancy !== true || hasPassed) requireReason(attack, played)
    },
    timeoutMs,
  )
})

async function playAttack(attack: Attack): Promise<Played> {
  const { name, loop, moves = [], says, exit, class: kind, expected } = attack
  const stage = stageOf(attack)
  const turn = {
    moves,
    ...(says === undefined ? {} : { says }),
    ...(exit === undefined ? {} : { exit }),
  }
  const played = await play({ stage, turns: [turn], ...(loop === undefined ? {} : { loop }) })
  note({
    set: kind === 10 ? 'class-10' : 'theatre',
    name,
    ...(kind === undefined ? {} : { class: kind }),
    ...(expected === undefined ? {} : { expected }),
    ended: endOf(played),
    isBad: isFooled(played),
    ...measuresOf(stage, played),
  })
  return played
}

function stageOf({ stage }: Attack): Stage {
  return stage ?? plainStage
}

/** A run abandoned at a question has no outcome; one without a question must have one. */
const isFooled = ({ outcome, certificates, questions }: Played): boolean =>
  certificates > 0 ||
  outcome?.type === 'completed' ||
  (outcome === undefined && questions.length === 0)

function requireReason({ expects = [] }: Attack, { refusals, checks, questions }: Played): void {
  const answers: readonly string[] = [...new Set(Object.values(checks))]
  const codes = refusals.map(({ code }) => code)
  const isAnswer = typeof expects === 'string'
  const wanted: readonly string[] = isAnswer ? [expects] : expects
  const missing = wanted.filter((why) => !(isAnswer ? answers : codes).includes(why))
  // If certification refuses, the attack passed the checks in the workspace of the agent.
  const unmet = isAnswer ? [] : answers.filter((answer) => answer !== 'met')
  const isSilent = !isAnswer && codes.length === 0 && questions.length === 0
  expect({ answers, codes, missing, unmet, isSilent }).toMatchObject({
    missing: [],
    unmet: [],
    isSilent: false,
  })
  expect(refusals.filter(({ message }) => message.length < 20)).toEqual([])
}
