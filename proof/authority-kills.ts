/** F16 with real processes: SIGKILL at random moments around an answer and around an action. One is applied. */

import { seededRandom } from '#src/testing/seeded-random.ts'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { type AuthorityCase, type AuthorityEnd, runAuthorityCase } from './authority-kill-case.ts'
import type { AuthorityVictim } from './authority-victims.ts'
import { inTurns } from './in-turns.ts'

const casesWanted = 120
const atOnce = 2

/** How long what is killed takes: later kills find it done. */
const spanMs: Readonly<Record<AuthorityVictim, number>> = {
  asking: 120,
  appending: 60,
  blind: 60,
  merging: 400,
}

const answerMs = 60

export interface AuthorityKills {
  readonly cases: number
  readonly inside: number
  readonly asked: number
  readonly findings: readonly string[]
}

export async function runAuthorityKills(
  victims: readonly AuthorityVictim[],
  { scale, note }: Pick<SuiteOptions, 'scale' | 'note'>,
): Promise<AuthorityKills> {
  const random = seededRandom(1)
  const count = Math.max(victims.length, Math.round(casesWanted * Math.min(1, scale)))
  const cases = Array.from({ length: count }, (_, at): AuthorityCase => {
    const victim = victims[at % victims.length] ?? 'asking'
    const within = (ms: number): number => random.between(0, ms)
    const answersAfterMs = [within(answerMs), within(answerMs)] as const
    return { victim, killAfterMs: within(spanMs[victim]), answersAfterMs }
  })
  const ends: AuthorityEnd[] = []
  const findings: string[] = []
  await inTurns(cases, atOnce, async (one) => {
    const end = await runAuthorityCase(one)
    ends.push(end)
    for (const text of end.findings) {
      findings.push(`${JSON.stringify(one)}: ${text}`)
      note(`  ${findings.at(-1)}`)
    }
    if (ends.length % 10 === 0) note(`  ${ends.length} of ${cases.length}`)
  })
  return {
    cases: ends.length,
    inside: ends.filter(({ wasInside }) => wasInside).length,
    asked: ends.filter(({ wasAsked }) => wasAsked).length,
    findings,
  }
}

/** The least share of kills that must come while the answer or the action is under way. */
const insideShare = 0.2

const suiteOf = (name: string, title: string, victims: readonly AuthorityVictim[]): Suite => ({
  area: 'authority',
  title,
  share: 20 / casesWanted,
  async run(options) {
    const { cases, inside, asked, findings } = await runAuthorityKills(victims, options)
    const detail = `${inside} while it was under way, ${asked} times a person was asked`
    const wanted = Math.floor(casesWanted * Math.min(1, options.scale))
    return [
      atLeast(`authority.${name}`, cases, wanted, 'kills', detail),
      atLeast(`authority.${name}-inside`, inside, Math.floor(cases * insideShare), 'kills'),
      atMost(`authority.${name}-findings`, findings.length, 0, 'findings', findings[0]),
    ]
  },
})

export const authorityKills: readonly Suite[] = [
  suiteOf('answer-kills', 'F16: two clients answer, and the daemon is killed at any moment', [
    'asking',
  ]),
  suiteOf('action-kills', 'F16: the daemon is killed around an action: it happens once, or asks', [
    'appending',
    'blind',
    'merging',
  ]),
]
