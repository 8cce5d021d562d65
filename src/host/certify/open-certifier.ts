/**
 * The certifier of a run. What it takes to certify is loaded when there is something to certify: most
 * iterations of most runs have nothing.
 */

import type { Certifier } from '../../engine/index.ts'
import type { HostPorts } from '../driver.ts'
import type { RunParts } from '../options.ts'
import type { RunPlace } from '../run-place.ts'

export function openCertifier(base: HostPorts, place: RunPlace, parts: RunParts): Certifier {
  let opened: Promise<Certifier> | undefined
  const open = async (): Promise<Certifier> => {
    const { createHostCertifier } = await import('./create-certifier.ts')
    const { codeParts } = await import('./code-parts.ts')
    const certifying = parts.certifying ?? codeParts(parts.checks ?? {})
    return createHostCertifier(base, { ...place, exclude: parts.exclude }, certifying)
  }
  return {
    async certify(subject, context) {
      opened ??= open()
      return (await opened).certify(subject, context)
    },
  }
}
