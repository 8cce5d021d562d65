/** Every question of the protocol: to a person, or to the policy that the user chose instead. */

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

export async function askWhich<Option extends string>(
  { it, settings }: TuneSession,
  name: string,
  choice: Choice<Option>,
): Promise<Option> {
  if (settings.pick === 'policy') return choice.policy
  const { text, options, happened } = choice
  const { answer } = await it.ask(name, {
    text,
    options,
    default: choice.default,
    evidence: { happened },
  })
  return options.find((option) => option === answer) ?? choice.default
}
