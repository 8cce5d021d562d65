/** Writes a text to the drafts in the state folder. Its name is derived from the key, so it is written once. */

import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Actions } from '../../engine/index.ts'
import { definite, done, found, notDone, readDetails } from './executor.ts'

const detailsSchema = z.object({ text: z.string().exactOptional() })

export function draftExecutor(folder: string): Actions {
  const fileFor = (key: string): string => {
    const hash = createHash('sha256').update(key).digest('hex').slice(0, 12)
    const run = (key.split('/')[0] ?? '').replaceAll(/[^\w-]/g, '-')
    return join(folder, `${run}-${hash}.md`)
  }
  return {
    async perform(action, key) {
      const { text = action.summary } = readDetails(detailsSchema, action)
      const file = fileFor(key)
      await definite(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const temporary = join(folder, `.${randomUUID()}`)
        await writeFile(temporary, `${text.trimEnd()}\n`, { mode: 0o600, flag: 'wx' })
        try {
          // Complete or absent, and never replaced.
          await link(temporary, file)
        } finally {
          await rm(temporary, { force: true })
        }
      })
      return done(`wrote ${file}`, { file })
    },
    async find(_action, key) {
      const file = fileFor(key)
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      return text === undefined ? notDone : found(`wrote ${file}`, { file })
    },
  }
}
