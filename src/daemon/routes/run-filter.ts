/** Parameters that choose runs. */

import type { RunFilter } from '../../engine/index.ts'
import { defined, findStatuses, runStatuses, statusAliases } from '../../loop/index.ts'
import { oneOf, type Parameter, text, whole } from './parameter.ts'

type Choices = 'status' | 'workspace'
type Times = 'createdAfter' | 'createdBefore'

const time = (description: string): Parameter<number | undefined> =>
  whole({ description, example: 1_790_000_000_000, max: Number.MAX_SAFE_INTEGER })

const statusNames = [...new Set<string>([...runStatuses, ...Object.keys(statusAliases)])]

/** Which runs are meant. */
export const which: Readonly<
  Record<Choices, Parameter<string | undefined>> & Record<Times, Parameter<number | undefined>>
> = {
  status: oneOf(statusNames, {
    description: 'Only runs with this status, or its name in a legacy format.',
    example: 'running',
  }),
  workspace: text({
    description: 'Only runs that work in this folder or in a worktree of it: an absolute path.',
    example: '/home/me/shop',
    max: 4096,
  }),
  createdAfter: time('Only runs created after this time, in ms.'),
  createdBefore: time('Only runs created before this time, in ms.'),
}

type Which = Readonly<Record<Choices, string | undefined> & Record<Times, number | undefined>>

export const toFilter = ({ status, workspace, createdAfter, createdBefore }: Which): RunFilter =>
  defined({
    status: status === undefined ? undefined : findStatuses(status),
    workspace,
    createdAfterMs: createdAfter,
    createdBeforeMs: createdBefore,
  })
