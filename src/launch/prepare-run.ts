/** Prepares the checks of a run: for preflight, for the comparison with the base, and for certification. */

import type { Ports } from '../engine/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import type { PrepareRun } from '../runs/options.ts'
import type { RunPlace } from '../runs/run-place.ts'
import { openCertifier } from './certify/open-certifier.ts'
import type { CertifyingParts } from './checks/certifying-parts.ts'
import { type AskBase, withExisting } from './checks/existing-failures.ts'
import type { RunDependencies } from './dependencies/run-dependencies.ts'
import { createRunPreflight } from './preflight/lazy-preflight.ts'

/**
 * `certifying`: the settings of a loop file. Absent: the checks of the run are used in a clean checkout.
 * `use` is called with the dependencies of the run once they are installed.
 */
export const prepareWith =
  (
    certifying: CertifyingParts | undefined,
    use: (dependencies: RunDependencies) => void = () => undefined,
  ): PrepareRun =>
  (base, place, parts) => {
    const { preflight, close } =
      certifying === undefined
        ? { preflight: {}, close: async () => undefined }
        : createRunPreflight(base, place, {
            certifying,
            use,
            isSkipped: parts.skipPreflight === true,
          })
    return {
      ports: {
        ...preflight,
        ...comparedChecks(base, place, parts, certifying),
        certifier: openCertifier(base, place, parts, certifying),
        earlierWork: async (run, tree) => {
          const { findEarlierWork } = await import('./preflight/earlier-work.ts')
          return findEarlierWork(base, run, tree)
        },
      },
      close,
    }
  }

/** With a loop file, distinguishes checks that already failed on the base from those that the run broke. */
function comparedChecks(
  base: HostPorts,
  place: RunPlace,
  { checks }: Pick<Ports, 'checks'>,
  certifying: CertifyingParts | undefined,
): Pick<Ports, 'checks'> {
  if (checks === undefined || certifying === undefined) return {}
  const ask: AskBase = async (name, context) => {
    const { createAskBase } = await import('./certify/ask-base.ts')
    return createAskBase(base, place, certifying)(name, context)
  }
  return { checks: withExisting(checks, certifying.existing ?? {}, ask) }
}
