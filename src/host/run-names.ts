/** Ids and names of new runs. */

import { humanId } from 'human-id'
import { uuidv7 } from 'uuidv7'
import { isLoopError, type RunId } from '../loop/index.ts'
import { requireName } from './requests.ts'

const triesMax = 5

/** Creates a run by the name that was given, or by a made-up one; those may meet, so more are tried. */
export async function createNamed(
  given: string | undefined,
  create: (run: { readonly id: RunId; readonly name: string }) => Promise<void>,
): Promise<{ readonly id: RunId; readonly name: string }> {
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

const madeUpName = (): string => humanId({ separator: '-', capitalize: false })
