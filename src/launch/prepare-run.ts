/** What a run needs besides its driver: its checks are tried before it, compared with the base, and certify it. */

import type { Ports } from '../engine/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import type { PrepareRun } from '../runs/options.ts'
import type { RunPlace } from '../runs/run-place.ts'
import { openCertifier } from './certify/open-certifier.ts'
import type { CertifyingParts } from './checks/certifying-parts.ts'
import { type AskBase, withExisting } from './checks/existing-failures.ts'
import type { RunDependencies } from './dependencies/run-dependencies.ts'
import { createRunPreflight } from './preflight/preflight-of.ts'

/**
 * `certifying`: what a loop file says about it. Absent: the checks of the run are asked in a clean checkout.
 * `use` is told where the dependencies of the run are, once they are installed.
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

/** What failed before is told from what the run broke, where a loop file has the checks. */
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
