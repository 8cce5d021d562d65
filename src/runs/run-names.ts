/** Ids and names of new runs. */

import { humanId } from 'human-id'
import { uuidv7 } from 'uuidv7'
import type { Journal } from '../engine/index.ts'
import { isLoopError, LoopError, type RunId } from '../loop/index.ts'
import { requireName } from './requests.ts'

const triesMax = 5

export interface NamedRun {
  readonly id: RunId
  readonly name: string
}

/** Creates a run with the given name, or with a generated one. A generated name may be taken, so several are tried. */
export async function createNamed(
  given: string | undefined,
  create: (run: NamedRun) => Promise<void>,
): Promise<NamedRun> {
  for (let tries = 1; ; tries++) {
    const name = given === undefined ? madeUpName() : requireName(given)
    const run = { id: uuidv7() as RunId, name }
    try {
      await create(run)
      return run
    } catch (error) {
      const another = given === undefined && isLoopError(error, 'name-taken')
      if (!another || tries === triesMax) throw error
    }
  }
}

/** A name that no run has yet, for a run that is about to be created. */
export async function chooseName(
  journal: Pick<Journal, 'findRun'>,
  given: string | undefined,
): Promise<NamedRun> {
  for (let tries = 1; ; tries++) {
    const name = given === undefined ? madeUpName() : requireName(given)
    if (await isNameFree(journal, name)) return { id: uuidv7() as RunId, name }
    if (given !== undefined || tries === triesMax) throw taken(name)
  }
}

export async function isNameFree(
  journal: Pick<Journal, 'findRun'>,
  name: string,
): Promise<boolean> {
  return journal.findRun(name).then(
    (run) => run.name !== name,
    (error: unknown) => {
      if (isLoopError(error, 'unknown-run') || isLoopError(error, 'ambiguous-run')) return true
      throw error
    },
  )
}

const taken = (name: string): LoopError =>
  new LoopError(
    'name-taken',
    `A run named "${name}" already exists. Resume or fork it, or choose another name.`,
  )

const madeUpName = (): string => humanId({ separator: '-', capitalize: false })
