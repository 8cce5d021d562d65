export {
  rotateKey,
  type Verdict,
  type Verification,
  type VerifyFinding,
} from '../../evidence/certificate/index.ts'
export type { Certificate, CertifiedCheck } from '../../protocol/index.ts'
export { exportCertificate } from './export-certificate.ts'
export {
  type ListedCertificate,
  listCertificates,
  pageCertificates,
  readSigned,
  readTarget,
} from './list-certificates.ts'
export { exportKeys, type KeyEntry, listKeys, trustFile, untrustKeyById } from './manage-keys.ts'
export { type VerifyTarget, verifyTarget } from './verify-target.ts'
