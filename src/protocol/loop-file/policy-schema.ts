/** Which policy files apply: in loop files and in the configuration. */

import type { z } from 'zod'
import { exactly } from '../exactly.ts'
import { key, keys, list, matching } from './value-schemas.ts'

/** Policy files, by whether their rules are enforced or only recorded. */
export interface PolicyFiles {
  readonly enforce?: readonly string[]
  readonly monitor?: readonly string[]
}

const files = () =>
  list(
    matching(/^[^\p{Cc}]{1,1000}$/u, 'the path of a policy file, such as policy/limits.cedar'),
    'a list of policy files',
    { max: 20 },
  ).exactOptional()

export const policyFilesSchema: z.ZodType<PolicyFiles> = exactly<PolicyFiles>()(
  keys({
    enforce: key(files(), 'Files in the Cedar language whose rules are enforced.', [
      'policy/limits.cedar',
    ]),
    monitor: key(files(), 'Files whose answers are recorded but not enforced, to try rules out.', [
      'policy/new.cedar',
    ]),
  }),
)
