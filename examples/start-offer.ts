/** Which agents besides the built-in one could do it here and now, as `loopctl agents` says. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'

export interface Offer {
  /** As in a loop file: the name of a program, or provider/model. */
  readonly agent: string
  readonly why: string
}

const Answer = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      state: z.string(),
      key: z.object({ provider: z.string() }).optional(),
    }),
  ),
})

const models: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-sonnet-5',
  openai: 'openai/gpt-5',
  google: 'google/gemini-2.5-flash',
}

export async function findOffers(loopctl: string): Promise<readonly Offer[]> {
  const run = promisify(execFile)
  // Without an answer there is still the built-in one.
  const answer = await run(process.execPath, [loopctl, '--json', 'agents']).catch(() => undefined)
  const parsed = Answer.safeParse(answer === undefined ? undefined : JSON.parse(answer.stdout))
  const ready = (parsed.data?.agents ?? []).filter(({ state }) => state === 'ready')
  return ready.flatMap(({ name, kind, key }): Offer[] => {
    if (kind === 'program')
      return [{ agent: name, why: `${name} and a key for it are here: let it try` }]
    const model = models[key?.provider ?? '']
    if (kind !== 'models' || model === undefined) return []
    return [{ agent: model, why: `A key for ${key?.provider} is here: let a model try` }]
  })
}

/** Asks whoever sits at a terminal; nobody there means no. */
export async function chooseAgent(offers: readonly Offer[]): Promise<string | undefined> {
  if (offers.length === 0 || !process.stdin.isTTY || !process.stdout.isTTY) return undefined
  const { isCancel, select } = await import('@clack/prompts')
  const chosen = await select({
    message: 'Who shall mend it?',
    options: [
      { value: '', label: 'repair', hint: 'built in, no model, free' },
      ...offers.map(({ agent }) => ({ value: agent, label: agent, hint: 'at most 1 dollar' })),
    ],
  })
  return isCancel(chosen) || chosen === '' ? undefined : chosen
}
