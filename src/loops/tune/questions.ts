/** Every question of the protocol: to a person, or to the policy that the user chose instead. */

import { findAnswer } from './answers.ts'
import type { TuneSession } from './tune-session.ts'

export interface Choice<Option extends string> {
  readonly text: string
  readonly options: readonly Option[]
  /** Taken at the deadline, without an answer. */
  readonly default: Option
  /** What the policy does instead of asking. */
  readonly policy: Option
  /** What a person has to know, one sentence each. */
  readonly happened: readonly string[]
}

export interface Decided<Option extends string> {
  readonly answer: Option
  /** `policy`: also a default that was taken at the deadline. */
  readonly by: 'person' | 'policy'
}

export const askWhich = async <Option extends string>(
  session: TuneSession,
  name: string,
  choice: Choice<Option>,
): Promise<Option> => (await decideWhich(session, name, choice)).answer

export async function decideWhich<Option extends string>(
  session: TuneSession,
  name: string,
  choice: Choice<Option>,
): Promise<Decided<Option>> {
  if (!mayAsk(session, name)) return { answer: choice.policy, by: 'policy' }
  const { text, options, happened } = choice
  const { answer, by } = await session.it.ask(name, {
    text,
    options,
    default: choice.default,
    evidence: { happened },
  })
  const chosen = options.find((option) => option === answer)
  return {
    answer: chosen ?? choice.default,
    by: by === 'person' && chosen !== undefined ? 'person' : 'policy',
  }
}

/** Free text. Undefined: there is no answer, or it is empty. */
export async function askText(
  session: TuneSession,
  name: string,
  question: {
    readonly text: string
    readonly default?: string
    readonly happened?: readonly string[]
  },
): Promise<string | undefined> {
  const { text, default: usual = '', happened } = question
  if (!mayAsk(session, name)) return usual === '' ? undefined : usual
  const { answer } = await session.it.ask(name, {
    text,
    default: usual,
    ...(happened === undefined ? {} : { evidence: { happened } }),
  })
  const said = answer.trim()
  return said === '' ? undefined : said
}

/** A policy does not ask, but takes what the answers file says. */
export const mayAsk = ({ settings, answers }: TuneSession, name: string): boolean =>
  settings.pick === 'ask' || findAnswer(answers, name) !== undefined
