/** The preflight of a run, loaded when it is asked for. */

import type { Ports } from '../../engine/index.ts'
import type { HostPorts } from '../driver.ts'
import type { RunParts } from '../options.ts'
import type { RunPlace } from '../run-place.ts'
import type { OpenedPreflight } from './run-preflight.ts'

export interface PreflightOf {
  readonly preflight: Pick<Ports, 'preflight'>
  /** The run is left. Never rejects. */
  close(): Promise<void>
}

/** Only loops from a file say what their checks are; code answers for itself. */
export function preflightOf(
  base: HostPorts,
  place: RunPlace,
  { certifying, useDependencies = () => undefined, skipPreflight = false }: RunParts,
): PreflightOf {
  if (certifying === undefined || place.workspace === undefined) {
    return { preflight: {}, close: async () => undefined }
  }
  let opened: Promise<OpenedPreflight> | undefined
  const open = (): Promise<OpenedPreflight> => {
    opened ??= import('./run-preflight.ts').then(({ openPreflight }) =>
      openPreflight(base, place, certifying, useDependencies),
    )
    return opened
  }
  return {
    preflight: {
      preflight: {
        prepare: async (files) => (await open()).prepare(files),
        tryChecks: async (files, onBegin) =>
          skipPreflight ? { checks: [] } : (await open()).tryChecks(files, onBegin),
      },
    },
    // What is not released is free again when this process ends.
    close: async () => (await opened)?.close().catch(() => undefined),
  }
}
