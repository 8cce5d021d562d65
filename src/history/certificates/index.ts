export {
  type OwnKey,
  ownKeys,
  rotateKey,
  signingKey,
  toTrusted,
  type Verdict,
  type Verification,
  type VerifyFinding,
} from '../../evidence/certificate/index.ts'
export type { Certificate, CertifiedCheck, TrustedKey } from '../../protocol/index.ts'
export { type ExportedCertificate, exportCertificate } from './export-certificate.ts'
export { findCertificate } from './find-certificate.ts'
export {
  type CertificatesOptions,
  type CertificatesPage,
  type ListedCertificate,
  listCertificates,
  pageCertificates,
  readSigned,
  readTarget,
} from './list-certificates.ts'
export {
  exportKeys,
  type KeyEntry,
  listKeys,
  type TrustedFile,
  trustFile,
  untrust,
} from './manage-keys.ts'
export { type VerifyTarget, verifyTarget } from './verify-target.ts'
