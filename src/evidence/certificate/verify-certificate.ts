/**
 * Verifies a certificate: a list of findings, one for each thing that was checked, and a verdict. Everything
 * outside the certificate is passed in; this file knows neither git nor folders.
 *
 * 1. A certificate that is not canonical, not signed or breaks the rules is `invalid`.
 * 2. An unknown key is a separate verdict, even if everything else is right: `untrusted`.
 * 3. Files that are not the certified ones: `differs`.
 * 4. `valid` only if nothing failed. What was not checked is reported, and is not a failure.
 */

import { plural } from '../../loop/excerpt/plural.ts'
import { type CertificateId, defined, type TreeId } from '../../loop/index.ts'
import {
  type Certificate,
  describeLevel,
  type SignedCertificate,
  type TrustedKey,
} from '../../protocol/index.ts'
import { openCertificate } from './certificate-file.ts'
import { brokenRules } from './certificate-rules.ts'
import { toKeyId } from './ed25519.ts'

export type Verdict = 'valid' | 'invalid' | 'untrusted' | 'differs'

/** Whether a certificate is valid, with everything that was checked. */
export interface Verification {
  readonly verdict: Verdict
  readonly findings: readonly VerifyFinding[]
  readonly id?: CertificateId
  /** Absent: the file cannot be read. Do not rely on it unless the verdict is `valid`. */
  readonly certificate?: Certificate
}

export interface VerifyFinding {
  readonly look: 'format' | 'bytes' | 'signature' | 'key' | 'rules' | 'tree' | 'evidence' | 'chain'
  readonly status: 'ok' | 'failed' | 'untrusted' | 'not-looked-at'
  readonly message: string
  /** What to do next. */
  readonly advice?: string
  /** Files that differ; only the first of many. */
  readonly paths?: readonly string[]
}

export interface VerifyOptions {
  readonly trusted: readonly TrustedKey[]
  /** Compares the files. */
  tree?(certificate: Certificate, tree: TreeId): Promise<TreeFinding>
  /** The digest of a stored output; undefined: it is not stored. */
  evidence?(
    sha256: string,
  ): Promise<{ readonly sha256: string; readonly bytes: number } | undefined>
  /** The previous certificate, if the chain is available; undefined: it is missing. */
  previous?(id: CertificateId): Promise<Uint8Array | undefined>
}

export type TreeFinding =
  | { readonly status: 'same'; readonly message: string }
  | {
      readonly status: 'differs'
      readonly message: string
      readonly advice?: string
      readonly paths?: readonly string[]
    }
  | { readonly status: 'not-looked-at'; readonly message: string; readonly advice?: string }

export async function verifyCertificate(
  bytes: Uint8Array,
  options: VerifyOptions,
): Promise<Verification> {
  const opened = openCertificate(bytes)
  if (opened.type === 'unreadable') {
    const message = `This is not a readable certificate: ${opened.why}.`
    return { verdict: 'invalid', findings: [failed('format', message, askAgain)] }
  }
  const { id, signed, isCanonical, isSigned } = opened
  const { certificate } = signed
  const findings: VerifyFinding[] = [
    ok(
      'format',
      `certificate ${certificate.number} of installation ${short(certificate.installation)}`,
    ),
    isCanonical
      ? ok('bytes', `${short(id)}, in canonical form`)
      : failed('bytes', 'The file is not byte for byte as it was written.', askAgain),
    isSigned
      ? ok('signature', `signed by the key ${short(signed.signature.keyId)}`)
      : failed('signature', 'The signature does not match the content.', askAgain),
    isSigned ? keyFinding(signed, options.trusted) : notChecked('key', 'it is not signed'),
    ...(isCanonical && isSigned ? await contentFindings(certificate, options) : []),
  ]
  return { verdict: toVerdict(findings), findings, id, certificate }
}

/** The content counts only if the signature is valid. */
async function contentFindings(
  certificate: Certificate,
  options: VerifyOptions,
): Promise<readonly VerifyFinding[]> {
  return [
    rulesFinding(certificate),
    await treeFinding(certificate, options),
    ...(await evidenceFindings(certificate, options)),
    await chainFinding(certificate, options),
  ]
}

const askAgain = 'Get the file again from its issuer: in this state it proves nothing.'

function keyFinding(
  { certificate, signature }: SignedCertificate,
  trusted: readonly TrustedKey[],
): VerifyFinding {
  const key = trusted.find(
    ({ id, publicKey }) =>
      id === signature.keyId && publicKey === signature.publicKey && id === toKeyId(publicKey),
  )
  const known = `the key ${short(signature.keyId)}`
  if (key === undefined) {
    const advice =
      'Get the public key from the issuer (they run: loopctl keys export), then: loopctl keys trust <file>'
    return { look: 'key', status: 'untrusted', message: `${known} is not trusted here.`, advice }
  }
  const { until } = key
  if (until !== undefined && Date.parse(certificate.issuedAt) > Date.parse(until)) {
    const message = `${known} was retired on ${until}, and this was issued on ${certificate.issuedAt}.`
    const advice = 'Someone with the old key may have made it: have the work certified again.'
    return { look: 'key', status: 'untrusted', message, advice }
  }
  return ok(
    'key',
    until === undefined
      ? `${known} is trusted`
      : `${known} is trusted; it was retired on ${until}, after this was signed`,
  )
}

function rulesFinding(certificate: Certificate): VerifyFinding {
  const broken = brokenRules(certificate)
  if (broken.length > 0) {
    const advice =
      'It certifies nothing, even if its signature is valid: correct the work and certify it again.'
    return failed('rules', broken.join(' '), advice)
  }
  const { checks, code } = certificate.rests
  const names = [...checks, ...(code === undefined ? [] : [`the loop's own condition ${code}`])]
  const level = describeLevel(certificate)
  return ok(
    'rules',
    `it rests on ${names.join(', ')}${level === undefined ? '' : `; strength ${level}`}`,
  )
}

async function treeFinding(
  certificate: Certificate,
  { tree: look }: VerifyOptions,
): Promise<VerifyFinding> {
  const { tree } = certificate
  if (tree === undefined) return notChecked('tree', 'it certifies no files')
  if (look === undefined) {
    return notChecked('tree', `it certifies ${tree}`, 'To compare files with it: --repo <folder>')
  }
  const { status, ...found } = await look(certificate, tree)
  return {
    look: 'tree',
    status: ({ same: 'ok', differs: 'failed', 'not-looked-at': 'not-looked-at' } as const)[status],
    ...found,
  }
}

async function evidenceFindings(
  { checks }: Certificate,
  { evidence }: VerifyOptions,
): Promise<readonly VerifyFinding[]> {
  if (checks.length === 0) return [notChecked('evidence', 'no check was run')]
  if (evidence === undefined) return [notChecked('evidence', 'the outputs of checks are not here')]
  const wrong: VerifyFinding[] = []
  let missing = 0
  for (const { name, output, reads } of checks) {
    const found = await evidence(output.sha256)
    if (found === undefined) missing += 1
    else if (found.sha256 !== output.sha256 || found.bytes !== output.bytes) {
      wrong.push(failed('evidence', `The stored output of "${name}" was changed.`, askAgain))
    }
    const list = reads === undefined ? undefined : await evidence(reads.digest)
    if (list !== undefined && list.sha256 !== reads?.digest) {
      wrong.push(
        failed('evidence', `The stored list of files that "${name}" read was changed.`, askAgain),
      )
    }
  }
  if (wrong.length > 0) return wrong
  if (missing === 0)
    return [ok('evidence', `the stored output of ${plural(checks.length, 'check')} is unchanged`)]
  const message = `${missing} of ${checks.length} outputs of checks are not here`
  return [
    notChecked('evidence', message, 'To write them: loopctl certificate <run> --out <folder>'),
  ]
}

async function chainFinding(
  certificate: Certificate,
  { previous }: VerifyOptions,
): Promise<VerifyFinding> {
  const { number, previous: id, installation } = certificate
  if ((number === 1) !== (id === null)) {
    return failed(
      'chain',
      `It is number ${number}, which does not match the certificate that it follows.`,
      askAgain,
    )
  }
  if (id === null) return ok('chain', 'it is the first of its chain')
  if (previous === undefined)
    return notChecked('chain', `it follows ${short(id)}, which is not here`)
  const bytes = await previous(id)
  const advice = 'Restore the certificates of this installation from a backup.'
  if (bytes === undefined) return failed('chain', `It follows ${id}, which is missing.`, advice)
  const before = openCertificate(bytes)
  const isIntact =
    before.type === 'read' && before.id === id && before.isCanonical && before.isSigned
  const isBefore =
    isIntact &&
    before.signed.certificate.number === number - 1 &&
    before.signed.certificate.installation === installation
  return isBefore
    ? ok('chain', `it follows ${short(id)}, which is unchanged`)
    : failed('chain', `It follows ${id}, which was changed.`, advice)
}

/** `differs` only if nothing is wrong with the certificate itself. */
function toVerdict(findings: readonly VerifyFinding[]): Verdict {
  const bad = findings.filter(({ status }) => status === 'failed')
  if (bad.some(({ look }) => look !== 'tree')) return 'invalid'
  if (findings.some(({ status }) => status === 'untrusted')) return 'untrusted'
  return bad.length > 0 ? 'differs' : 'valid'
}

const short = (id: string): string => id.slice(0, 12)

const ok = (look: VerifyFinding['look'], message: string): VerifyFinding => ({
  look,
  status: 'ok',
  message,
})

const failed = (look: VerifyFinding['look'], message: string, advice: string): VerifyFinding => ({
  look,
  status: 'failed',
  message,
  advice,
})

const notChecked = (
  look: VerifyFinding['look'],
  message: string,
  advice?: string,
): VerifyFinding => ({
  look,
  status: 'not-looked-at',
  message,
  ...defined({ advice }),
})
