/** Teeth, tried in the clean place with the checks that run tests. */

import { findTeethFiles } from '../find-teeth-files.ts'
import type { OpenCheck } from '../parts.ts'
import type { Planter } from '../planter.ts'
import { createClassify } from '../seals/classify.ts'
import { type Notice, tryTeeth, unnoticedOf } from '../teeth.ts'
import type { Certifying } from './certifier.ts'
import { digestOf } from './digest.ts'
import { type RunRequest, runChecks } from './run-checks.ts'

export interface TeethSettings {
  /** Asked for when there is something to plant in. */
  openPlanter(): Promise<Planter>
  /** Numbers in [0, 1): the same for the same seed, so that the same work meets the same defects. */
  readonly randomFrom: (seed: number) => () => number
}

export interface Toothed {
  readonly planted: number
  readonly noticed: number
  /** What nobody noticed where somebody should have, a line each. */
  readonly unnoticed: readonly string[]
}

/** Undefined: there was nothing to plant in, or nothing that could notice. */
export async function lookAtTeeth(
  { parts, base, tree }: Certifying,
  { openPlanter, randomFrom }: TeethSettings,
  run: Omit<RunRequest, 'tree'>,
  checks: readonly OpenCheck[],
): Promise<Toothed | undefined> {
  if (checks.length === 0 || base === tree) return undefined
  const random = randomFrom(Number.parseInt(digestOf(tree).slice(0, 8), 16))
  const classify = createClassify(parts.seals, { has: () => false, loaded: new Map() })
  const files = await findTeethFiles({
    reader: parts.reader,
    base,
    tree,
    isTest: (path) => classify(path)?.kind === 'test',
    random,
  })
  const teeth = await tryTeeth({
    ...files,
    planter: await openPlanter(),
    random,
    async runChecks(over): Promise<Notice> {
      const ran = await runChecks({ ...run, tree, over }, checks)
      return ran.some(({ result }) => result.status !== 'met') ? 'noticed' : 'not-noticed'
    },
  })
  if (teeth.type === 'not-tried') return undefined
  const { planted, noticed, toothless } = teeth
  const unnoticed = unnoticedOf(teeth)
    .filter(({ place }) => toothless.includes(place))
    .map(({ file, line, description }) => `${file}:${line} ${description}`)
  return { planted, noticed, unnoticed }
}
