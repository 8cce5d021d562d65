/** The certifier of a run, from what the host knows of it. */

import { createHash } from 'node:crypto'
import type { Certifier } from '../../engine/index.ts'
import { type CertificateId, checksPass } from '../../loop/index.ts'
import type { HostPorts } from '../driver.ts'
import type { RunParts } from '../options.ts'
import type { RunPlace } from '../run-place.ts'

/**
 * Minimal: it certifies by what the checks said during the iterations, and signs nothing. What certifies
 * in a clean checkout takes its place.
 */
export function openCertifier(_base: HostPorts, _place: RunPlace, _parts: RunParts): Certifier {
  return {
    async certify(subject) {
      const { checks, evidence, tree } = subject
      const unmet = checks.filter((check) => !checksPass([check], evidence, tree))
      if (unmet.length > 0) {
        const message = `Not met on the files as they are: ${unmet.join(', ')}.`
        return { type: 'refused', refusals: [{ code: 'check-failed', message }] }
      }
      const digest = createHash('sha256').update(JSON.stringify(subject)).digest('hex')
      return { type: 'certified', certificate: digest as CertificateId }
    },
  }
}
