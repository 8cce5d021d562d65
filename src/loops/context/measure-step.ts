/** The step that measures the work. Its role is `measure`; run folders keep its results. */

import type { Iteration } from '../../loop/index.ts'
import type { LoopPorts } from '../loop-ports.ts'
import { type Measurement, type MeasureSettings, toMeasurement } from './measure.ts'

/** Before the checks of the iteration: what the command changes is checked, too. */
export const measureWork = (
  it: Iteration,
  { measure }: Pick<LoopPorts, 'measure'>,
  { command, timeoutMs }: MeasureSettings,
  spec?: string,
): Promise<Measurement> =>
  it.step(
    'measure',
    async ({ signal }) => {
      const request = { command, timeoutMs, iteration: it.number }
      const named = spec === undefined ? request : { ...request, spec }
      return toMeasurement(it.number, await measure(named, signal))
    },
    { role: 'measure', retry: { attempts: 1 } },
  )
