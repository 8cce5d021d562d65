/**
 * A certifier that runs nothing. It certifies only what the engine passes: every check that the work is
 * based on must be met on exactly these files, so an engine that asks too early, or about other files, is
 * refused.
 */

import { createHash } from 'node:crypto'
import type { Certification, Certifier, Subject } from '../engine/index.ts'
import type { CertificateId, Refusal } from '../loop/index.ts'

export interface FakeCertifier extends Certifier {
  /** The subjects it was called with, in order. */
  readonly asked: readonly Subject[]
  /** What it certified, by the id of the certificate. */
  readonly issued: ReadonlyMap<CertificateId, Subject>
}

/** `answer` can override the result for a subject that would be certified. */
export function createFakeCertifier(
  answer: (subject: Subject) => Certification | undefined = () => undefined,
): FakeCertifier {
  const asked: Subject[] = []
  const issued = new Map<CertificateId, Subject>()
  return {
    asked,
    issued,
    async certify(subject) {
      asked.push(subject)
      const refusals = unmetOf(subject)
      if (refusals.length > 0) return { type: 'refused', refusals }
      const other = answer(subject)
      if (other !== undefined) return other
      const certificate = certificateId(subject)
      issued.set(certificate, subject)
      return { type: 'certified', certificate }
    },
  }
}

/** The same for the same work, however often and wherever it is certified. */
export function certificateId({ iteration, tree, condition }: Subject): CertificateId {
  const text = JSON.stringify([iteration, tree ?? null, condition])
  return createHash('sha256').update(text).digest('hex') as CertificateId
}

const unmetOf = ({ checks, evidence, tree }: Subject): readonly Refusal[] =>
  checks.flatMap((check) => {
    const found = Object.hasOwn(evidence, check) ? evidence[check] : undefined
    const isFine = found?.status === 'met' || found?.allowed === true
    if (isFine && found.tree === tree) return []
    return [{ code: 'check-failed', check, message: `${check} is not met on these files` }]
  })
