/** The preflight of a run; its code is loaded on first use. */

import type { Ports } from '../../engine/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import type { CertifyingParts } from '../checks/certifying-parts.ts'
import type { RunDependencies } from '../dependencies/run-dependencies.ts'
import type { OpenedPreflight } from './run-preflight.ts'

export interface RunPreflightHandle {
  readonly preflight: Pick<Ports, 'preflight'>
  /** Call it when this process no longer drives the run. Never rejects. */
  close(): Promise<void>
}

export interface PreflightOptions {
  readonly certifying: CertifyingParts
  readonly use: (dependencies: RunDependencies) => void
  readonly isSkipped: boolean
}

export function createRunPreflight(
  base: HostPorts,
  place: RunPlace,
  { certifying, use, isSkipped }: PreflightOptions,
): RunPreflightHandle {
  if (place.workspace === undefined) {
    return { preflight: {}, close: async () => undefined }
  }
  let opened: OpenedPreflight | undefined
  const open = async (): Promise<OpenedPreflight> => {
    const { openPreflight } = await import('./run-preflight.ts')
    opened ??= openPreflight(base, place, certifying, use)
    return opened
  }
  return {
    preflight: {
      preflight: {
        digest: () => opened?.digest?.(),
        prepare: async (files) => (await open()).prepare(files),
        tryChecks: async (files, onBegin) =>
          isSkipped ? { checks: [] } : (await open()).tryChecks(files, onBegin),
      },
    },
    // A lease that is not released ends with this process.
    close: async () => opened?.close().catch(() => undefined),
  }
}
