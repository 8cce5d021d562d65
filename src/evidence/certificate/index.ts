export { keptWith, openCertificate } from './certificate-file.ts'
export {
  certificatesOf,
  certifiedOutputs,
  chainProblems,
  findById,
  newestFirst,
  readCertificate,
} from './certificate-store.ts'
export { issueCertificate } from './issue-certificate.ts'
export { isEndorsed, ownKeys, rotateKey, signingKey, toTrusted } from './own-keys.ts'
export { readFileOnly } from './private-files.ts'
export {
  givenKeys,
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
