/** Which stories are told: a few by a seed, or all of them. */

import { appendFileSync } from 'node:fs'

/** `all`, or a number that chooses. */
const asked = process.env['LOOPWRIGHT_STORIES'] ?? '1'

export const isWhole: boolean = asked === 'all'

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
  readonly set: 'theatre' | 'honest'
  readonly name: string
  /** It ended as it must not. */
  readonly isBad: boolean
  readonly answers: Readonly<Record<string, string>>
  readonly codes: readonly string[]
}

/** For who counts them: one line each. */
export function note(told: Told): void {
  const file = process.env['LOOPWRIGHT_STORIES_REPORT']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(told)}\n`)
}
