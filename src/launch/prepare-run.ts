/** Prepares the checks of a run: for preflight, for the comparison with the base, and for certification. */

import { alwaysEscalate, approvalOnly } from '../authority/index.ts'
import type { Ports } from '../engine/index.ts'
import { defined } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import type { PrepareRun } from '../runs/options.ts'
import type { RunPlace } from '../runs/run-place.ts'
import type { OpenActions } from './authority/open-actions.ts'
import { openCertifier } from './certify/open-certifier.ts'
import type { CertifyingParts } from './checks/certifying-parts.ts'
import { type AskBase, withExisting } from './checks/existing-failures.ts'
import type { RunDependencies } from './dependencies/run-dependencies.ts'
import { createMergedCertifier } from './landing/certify-merged.ts'
import type { OpenCommands } from './loop-ports/commands/open-commands.ts'
import { createRunPreflight } from './preflight/lazy-preflight.ts'

/**
 * `openCommands`: what runs the commands of the loop.
 * `certifying`: the settings of a loop file. Absent: the checks of the run are used in a clean checkout.
 * `use` is called with the dependencies of the run once they are installed. `open`: the executors of the loop file.
 */
export const prepareWith =
  (
    certifying: CertifyingParts | undefined,
    use: (dependencies: RunDependencies) => void = () => undefined,
    open?: OpenActions,
    openCommands?: OpenCommands,
  ): PrepareRun =>
  (base, place, parts) => {
    const { preflight, close } =
      certifying === undefined
        ? { preflight: {}, close: async () => undefined }
        : createRunPreflight(base, place, {
            certifying,
            use,
            // Without checks there is nothing to try, and no checkout is needed for it.
            isSkipped: parts.skipPreflight === true || Object.keys(parts.checks ?? {}).length === 0,
          })
    const opened = parts.commands === undefined ? openCommands?.(base) : undefined
    return {
      ports: {
        ...preflight,
        ...defined({ commands: parts.commands ?? opened?.commands }),
        ...comparedChecks(base, place, parts, certifying),
        gate: parts.gate ?? alwaysEscalate,
        actions:
          parts.actions ??
          open?.(base, place, createMergedCertifier(base, place, parts, certifying)) ??
          approvalOnly,
        outsideScope: createScopeReader(base, place, certifying?.scope),
        certifier: openCertifier(base, place, parts, certifying),
        earlierWork: async (run, tree) => {
          const { findEarlierWork } = await import('./preflight/earlier-work.ts')
          return findEarlierWork(base, run, tree)
        },
      },
      async close() {
        await opened?.close()
        await close()
      },
    }
  }

/** The scope is derived from the base, so that nothing that the agent wrote can widen it. */
function createScopeReader(
  { blobs, folder }: HostPorts,
  { placed }: RunPlace,
  scope: readonly string[] = [],
): NonNullable<Ports['outsideScope']> {
  return async (paths, tree) => {
    const { scopeOf } = await import('../evidence/index.ts')
    const { createTreeReader } = await import('../workspace/tree-reader.ts')
    const reader = createTreeReader({ blobs, folder, repository: placed?.repository })
    const { isWork } = await scopeOf(reader, tree, { scope })
    return paths.filter((path) => !isWork(path))
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
