/** Starts a run of another loop file. Its name is derived from the key, and no two runs have the same name. */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Actions } from '../../engine/index.ts'
import { isLoopError, type Json } from '../../loop/index.ts'
import { done, failed, found, indefinite, notDone, readDetails } from './executor.ts'

const detailsSchema = z.object({
  loop: z.string(),
  input: z.record(z.string(), z.json()).prefault({}),
})

export interface StartRunPorts {
  /** Rejects with `name-taken` if there is such a run. The run is on disk when this resolves. */
  start(request: StartRunRequest): Promise<void>
  exists(name: string): Promise<boolean>
}

export interface StartRunRequest {
  /** An absolute path. */
  readonly loop: string
  readonly name: string
  readonly input: { readonly [name: string]: Json }
}

const nameFor = (key: string): string =>
  `started-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`

export function startRunExecutor({ start, exists }: StartRunPorts): Actions {
  return {
    async perform(action, key) {
      const { loop, input } = readDetails(detailsSchema, action)
      const name = nameFor(key)
      const request = { loop, name, input: input as { readonly [name: string]: Json } }
      await indefinite(async () => {
        try {
          await start(request)
        } catch (error) {
          if (isLoopError(error, 'name-taken')) return
          if (await exists(name)) return
          throw failed(error instanceof Error ? error.message : String(error), error)
        }
      })
      return done(`started ${name}`, { run: name })
    },
    async find(_action, key) {
      const name = nameFor(key)
      return (await exists(name)) ? found(`started ${name}`, { run: name }) : notDone
    },
  }
}
