/** The schema of `escalate` in a loop file: when the run asks a person because it makes no progress or changes too much. */

import { z } from 'zod'
import { defaultThresholds, defined } from '../../loop/index.ts'
import type { EscalateSettings } from './loop-file.ts'
import { duration, expects, integer, key, keys } from './value-schemas.ts'

const countMax = 1_000_000

const thresholds = keys({
  sameErrors: key(
    integer(1, countMax).exactOptional(),
    'The same error ended this many iterations in a row.',
    defaultThresholds.sameErrors,
  ),
  verifications: key(
    integer(1, countMax).exactOptional(),
    'The checks failed this many times without any progress.',
    defaultThresholds.verifications,
  ),
  withoutChange: key(
    integer(1, countMax).exactOptional(),
    'This many iterations in a row changed no file.',
    defaultThresholds.withoutChange,
  ),
  testRuns: key(
    integer(1, countMax).exactOptional(),
    'This many test runs in a row showed no improvement.',
    defaultThresholds.testRuns,
  ),
  files: key(
    integer(1, countMax).exactOptional(),
    'Maximum number of changed files without an approval.',
    defaultThresholds.files,
  ),
  filesPer: key(
    z.enum(['run', 'iteration'], { error: expects('run or iteration') }).exactOptional(),
    'What changed files are counted from: the base of the run, or the start of each iteration.',
    'iteration',
  ),
  deadline: key(
    duration(30).exactOptional(),
    'How long to wait for an answer before the run ends.',
    '8h',
  ),
}).transform(({ deadline, ...rest }) => ({ ...rest, ...defined({ deadlineMs: deadline }) }))

export const escalateSchema: z.ZodType<EscalateSettings> = z.union(
  [z.boolean().transform((on) => (on ? {} : false)), thresholds],
  { error: expects('true, false or thresholds') },
)
