/** Files in the folder of a run, and certificates. */

import { z } from 'zod'
import type { Certificate } from '../certificate/certificate.ts'
import { certificateSchema } from '../certificate/certificate-schema.ts'
import { exactly } from '../exactly.ts'
import { count, published } from '../values.ts'

/** A file in the run folder. */
export interface Artifact {
  /** Relative to the run folder, with `/` separators. */
  readonly path: string
  readonly kind: string
  readonly bytes: number
  readonly modifiedAtMs: number
}

export const artifactSchema: z.ZodType<Artifact> = exactly<Artifact>()(
  z.strictObject({
    path: z.string(),
    kind: z.string(),
    bytes: count,
    modifiedAtMs: z.number(),
  }),
).register(published, { id: 'Artifact' })

/** Same shape as the host's `ListedCertificate`. */
export interface CertificateEntry {
  readonly id: string
  readonly certificate: Certificate
}

export const certificateEntrySchema: z.ZodType<CertificateEntry> = exactly<CertificateEntry>()(
  z.strictObject({ id: z.string(), certificate: certificateSchema }),
).register(published, { id: 'CertificateEntry' })
