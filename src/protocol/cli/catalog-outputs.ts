/** What the commands for the catalog print. */

import { z } from 'zod'
import { count } from '../values.ts'
import { type CommandOutput, lines, one, text, texts } from './command-output.ts'

const entry = {
  name: text,
  description: text,
  cadence: text,
  level: z.literal([1, 2, 3, 'earned']),
  action: text,
  reads: texts,
  needs: texts,
  dailyTokens: count,
}

export const catalogOutputs: Readonly<Record<string, CommandOutput>> = {
  catalog: lines('Each loop of the catalog.', z.strictObject(entry)),
  'catalog show': one(
    'A loop of the catalog, with the text of its file.',
    z.strictObject({ ...entry, text }),
  ),
  'catalog add': one(
    'The loop file that was written, what is missing before it can run, and the next commands.',
    z.strictObject({
      name: text,
      file: text,
      digest: text,
      agent: z.unknown(),
      checks: z.record(text, text),
      notes: texts,
      next: texts,
    }),
  ),
}
