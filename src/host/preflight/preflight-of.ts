/** The preflight of a run, loaded on first use. */

import type { Ports } from '../../engine/index.ts'
import type { HostPorts } from '../driver.ts'
import type { RunParts } from '../options.ts'
import type { RunPlace } from '../run-place.ts'
import type { OpenedPreflight } from './run-preflight.ts'

export interface PreflightOf {
  readonly preflight: Pick<Ports, 'preflight'>
  /** The run is no longer driven here. Never rejects. */
  close(): Promise<void>
}

/** Only loop files declare their checks; loops in code have no preflight. */
export function preflightOf(
  base: HostPorts,
  place: RunPlace,
  { certifying, useDependencies = () => undefined, skipPreflight = false }: RunParts,
): PreflightOf {
  if (certifying === undefined || place.workspace === undefined) {
    return { preflight: {}, close: async () => undefined }
  }
  let opened: OpenedPreflight | undefined
  const open = async (): Promise<OpenedPreflight> => {
    const { openPreflight } = await import('./run-preflight.ts')
    opened ??= openPreflight(base, place, certifying, useDependencies)
    return opened
  }
  return {
    preflight: {
      preflight: {
        digest: () => opened?.digest?.(),
        prepare: async (files) => (await open()).prepare(files),
        tryChecks: async (files, onBegin) =>
          skipPreflight ? { checks: [] } : (await open()).tryChecks(files, onBegin),
      },
    },
    // A lease that is not released ends with this process.
    close: async () => opened?.close().catch(() => undefined),
  }
}
