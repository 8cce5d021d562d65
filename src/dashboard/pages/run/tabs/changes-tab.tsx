/** All changes of the run, from its base to its current files, or those of one iteration. */

import { type ReactElement, useState } from 'react'
import { Changes } from '../../../parts/diff/changes.tsx'
import { Empty } from '../../../parts/empty.tsx'
import type { TabProps } from './tab-props.ts'

export function ChangesTab({ detail }: TabProps): ReactElement {
  const { run, checkpoints } = detail
  const [iteration, setIteration] = useState<number | undefined>()
  if (run.workspace === undefined) {
    return <Empty title="This run has no files." command={`loopctl inspect ${run.name}`} />
  }
  return (
    <div className="grid gap-3">
      <label className="flex items-center gap-2">
        <span className="text-muted">Changes of</span>
        <select
          value={iteration ?? ''}
          onChange={({ target }) =>
            setIteration(target.value === '' ? undefined : Number(target.value))
          }
          className="rounded-md border border-line bg-panel px-2 py-1"
        >
          <option value="">the whole run</option>
          {checkpoints.map((one) => (
            <option key={one.iteration} value={one.iteration}>
              iteration {one.iteration}
            </option>
          ))}
        </select>
      </label>
      <Changes run={run} {...(iteration === undefined ? {} : { iteration })} />
    </div>
  )
}
