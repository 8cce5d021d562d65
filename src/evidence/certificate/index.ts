export { listStoredDigests, openCertificate } from './certificate-file.ts'
export {
  certifiedOutputs,
  chainProblems,
  findStoredCertificate,
  listNewestFirst,
  listRunCertificates,
  readCertificate,
} from './certificate-store.ts'
export { issueCertificate } from './issue-certificate.ts'
export { isEndorsed, ownKeys, rotateKey, signingKey, toTrustedKeys } from './own-keys.ts'
export { readRegularFile } from './private-files.ts'
export {
  readForeignKeys,
  readTrustedKeys,
  renderTrustedKeys,
  trustedKeys,
  trustKeys,
  untrustKey,
} from './trusted-keys.ts'
export {
  type TreeFinding,
  type Verdict,
  type Verification,
  type VerifyFinding,
  type VerifyOptions,
  verifyCertificate,
} from './verify-certificate.ts'
