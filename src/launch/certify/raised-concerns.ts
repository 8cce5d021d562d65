/** Stores the concerns that consultants raised about a run, in a file that is removed with the run. */

import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { RaisedConcerns } from '../../evidence/index.ts'
import { type Finding, LoopError, type RunId } from '../../loop/index.ts'

const findingSchema: z.ZodType<Finding> = z.strictObject({
  text: z.string(),
  file: z.string().exactOptional(),
  line: z.number().exactOptional(),
})

const raisedSchema = z.array(z.tuple([z.string(), z.array(findingSchema)]))

export const raisedConcernsPath = (folder: string, run: RunId): string =>
  join(folder, 'consultations', `${run}.json`)

export function fileRaisedConcerns(folder: string): RaisedConcerns {
  const toPath = (run: RunId): string => raisedConcernsPath(folder, run)
  return {
    find: async (run, consultant) => (await readAll(toPath(run))).get(consultant) ?? [],
    async keep(run, consultant, findings) {
      const path = toPath(run)
      const all = new Map(await readAll(path)).set(consultant, findings)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const temporary = `${path}.${randomUUID()}`
      await writeFile(temporary, JSON.stringify([...all]), { mode: 0o600 })
      await rename(temporary, path)
    },
  }
}

/** A damaged file must not count as "no concerns". */
async function readAll(path: string): Promise<ReadonlyMap<string, readonly Finding[]>> {
  try {
    return new Map(raisedSchema.parse(JSON.parse(await readFile(path, 'utf8'))))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map()
    const message = `Cannot read the concerns that consultants raised from ${path}.`
    throw new LoopError(
      'store-failed',
      `${message} Restore the file from a backup, or delete it.`,
      {
        cause: error,
      },
    )
  }
}
