export {
  keptWith,
  type OpenedCertificate,
  openCertificate,
  toCertificateId,
} from './certificate-file.ts'
export { brokenRules } from './certificate-rules.ts'
export {
  type CertificateStore,
  certificatesOf,
  certifiedOutputs,
  chainProblems,
  findById,
  newestFirst,
  readCertificate,
  type StoredCertificate,
} from './certificate-store.ts'
export { type IssuedCertificate, issueCertificate } from './issue-certificate.ts'
export {
  isEndorsed,
  keysFolder,
  type OwnKey,
  ownKeys,
  rotateKey,
  signingKey,
  toTrusted,
} from './own-keys.ts'
export { readFileOnly } from './private-files.ts'
export {
  givenKeys,
  parseTrustedKeys,
  readTrustedKeys,
  renderTrustedKeys,
  trustedKeys,
  trustKeys,
  untrustKey,
} from './trusted-keys.ts'
export {
  type TreeLook,
  type Verdict,
  type Verification,
  type VerifyFinding,
  type VerifyOptions,
  verifyCertificate,
} from './verify-certificate.ts'
