import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CertificateId } from '../../loop/index.ts'
import {
  type Certificate,
  type CertificateDraft,
  canonicalJson,
  type TrustedKey,
} from '../../protocol/index.ts'
import {
  certificateDraft,
  certifiedCheck,
  certifiedOutput,
} from '../../testing/certificate-draft.ts'
import { signCertificate } from './certificate-file.ts'
import { brokenRules } from './certificate-rules.ts'
import { readCertificate } from './certificate-store.ts'
import { sha256 } from './ed25519.ts'
import { issueCertificate } from './issue-certificate.ts'
import { ownKeys, rotateKey, type SigningKey, signingKey, toTrustedKeys } from './own-keys.ts'
import { type Verification, type VerifyOptions, verifyCertificate } from './verify-certificate.ts'

let folder: string
let key: SigningKey
let bytes: Buffer
let second: Buffer
let trusted: readonly TrustedKey[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-verify-'))
  const issued = await issueCertificate(certificateDraft(), { folder })
  bytes = await readCertificate(issued.id, { folder })
  const next = await issueCertificate(certificateDraft(), { folder })
  second = await readCertificate(next.id, { folder })
  key = await signingKey(folder, Date.now())
  trusted = toTrustedKeys(await ownKeys(folder))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const verify = (file: Uint8Array, options: Partial<VerifyOptions> = {}): Promise<Verification> =>
  verifyCertificate(file, { trusted, ...options })

const findFinding = ({ findings }: Verification, look: string) =>
  findings.find((finding) => finding.look === look)

/** Signed with the key of the installation, whatever the content. */
function signed(change: Partial<Certificate>): Buffer {
  const certificate: Certificate = {
    format: 'loopwright-certificate',
    version: 1,
    ...certificateDraft(),
    issuedAt: new Date().toISOString(),
    installation: key.installation,
    number: 1,
    previous: null,
    ...change,
  }
  return signCertificate(certificate, key).bytes
}

describe('a certificate', () => {
  test('is valid if it is complete and its key is trusted; what was not checked is reported', async () => {
    const found = await verify(bytes)
    expect(found.verdict).toBe('valid')
    expect(found.id).toBe(sha256(canonicalJson(found.certificate)))
    const unseen = found.findings.filter(({ status }) => status === 'not-looked-at')
    expect(unseen.map(({ look }) => look)).toEqual(['tree', 'evidence'])
  })

  test('is invalid with any byte changed', async () => {
    for (let at = 0; at < bytes.length; at += 7) {
      const other = Buffer.from(bytes)
      other[at] = (other[at] ?? 0) ^ 1
      expect((await verify(other)).verdict, `byte ${at}`).toBe('invalid')
    }
  })

  test.each<[string, (text: string) => string]>([
    ['with white space', (text) => JSON.stringify(JSON.parse(text), null, 2)],
    ['without the newline at its end', (text) => text.trimEnd()],
    ['with a key twice', (text) => text.replace('{', '{"signature":1,')],
    ['with a byte order mark', (text) => `\uFEFF${text}`],
    ['with a number in another notation', (text) => text.replace('"number":1', '"number":1.0')],
  ])('that means the same, %s, is another file', async (_what, change) => {
    const changed = change(bytes.toString('utf8'))
    expect((await verify(Buffer.from(changed))).verdict).toBe('invalid')
  })

  test('is untrusted if its key is not trusted, and invalid if it was also changed', async () => {
    const found = await verify(bytes, { trusted: [] })
    expect(found.verdict).toBe('untrusted')
    expect(findFinding(found, 'key')?.advice).toContain('loopctl keys trust')
    const changed = Buffer.from(bytes.toString('utf8').replace('demo', 'dem0'))
    expect((await verify(changed, { trusted: [] })).verdict).toBe('invalid')
  })

  test('signed by another key under the name of a trusted one is invalid', async () => {
    const other = mkdtempSync(join(tmpdir(), 'loopwright-verify-'))
    const thief = await signingKey(other, Date.now())
    rmSync(other, { recursive: true })
    const certificate = (await verify(bytes)).certificate
    if (certificate === undefined) throw new Error('it can be read')
    const forged = signCertificate(certificate, { ...thief, id: key.id })
    expect((await verify(forged.bytes)).verdict).toBe('invalid')
    const renamed = signCertificate(certificate, { ...thief, id: key.id, publicKey: key.publicKey })
    expect((await verify(renamed.bytes)).verdict).toBe('invalid')
    expect((await verify(signCertificate(certificate, thief).bytes)).verdict).toBe('untrusted')
  })

  test('of a retired key counts until it was retired', async () => {
    const other = mkdtempSync(join(tmpdir(), 'loopwright-verify-'))
    const now = Date.parse('2026-01-01T00:00:00Z')
    const old = await signingKey(other, now)
    const { certificate } = await issueCertificate(certificateDraft(), {
      folder: other,
      now: () => now,
    })
    await rotateKey(other, now + 60_000)
    const theirs = { trusted: toTrustedKeys(await ownKeys(other)) }
    rmSync(other, { recursive: true })
    const before = signCertificate(certificate, old)
    const late = { ...certificate, issuedAt: '2026-01-02T00:00:00.000Z' }
    expect((await verify(before.bytes, theirs)).verdict).toBe('valid')
    const found = await verify(signCertificate(late, old).bytes, theirs)
    expect(found.verdict).toBe('untrusted')
    expect(findFinding(found, 'key')?.message).toContain('was retired')
  })

  test('that is not JSON, is too long or is something else is invalid', async () => {
    for (const other of ['', '{}', 'null', '[1]', '\u0000']) {
      expect((await verify(Buffer.from(other))).verdict).toBe('invalid')
    }
    expect((await verify(Buffer.alloc(17 * 1024 * 1024, 32))).verdict).toBe('invalid')
    expect((await verify(Buffer.from([0xff, 0xfe]))).verdict).toBe('invalid')
  })
})

describe('what belongs to a certificate', () => {
  const output = { sha256: sha256(certifiedOutput), bytes: certifiedOutput.length }

  test('distinguishes outputs that are unchanged, changed and missing', async () => {
    const same = await verify(bytes, { evidence: async () => output })
    expect([same.verdict, findFinding(same, 'evidence')?.status]).toEqual(['valid', 'ok'])
    const other = await verify(bytes, { evidence: async () => ({ ...output, sha256: key.id }) })
    expect([other.verdict, findFinding(other, 'evidence')?.status]).toEqual(['invalid', 'failed'])
    const gone = await verify(bytes, { evidence: async () => undefined })
    expect([gone.verdict, findFinding(gone, 'evidence')?.status]).toEqual([
      'valid',
      'not-looked-at',
    ])
  })

  test('different files are a separate verdict, unless the key is untrusted', async () => {
    const tree = async () => ({ status: 'differs' as const, message: 'Other.', paths: ['a'] })
    const found = await verify(bytes, { tree })
    expect(found.verdict).toBe('differs')
    expect(findFinding(found, 'tree')).toMatchObject({ status: 'failed', paths: ['a'] })
    expect((await verify(bytes, { tree, trusted: [] })).verdict).toBe('untrusted')
  })

  test('the previous certificate is checked if the chain is available', async () => {
    const previous = (found: Uint8Array | undefined) => ({ previous: async () => found })
    expect((await verify(second, previous(bytes))).verdict).toBe('valid')
    expect((await verify(second, previous(undefined))).verdict).toBe('invalid')
    expect((await verify(second, previous(second))).verdict).toBe('invalid')
    const changed = bytes.toString('utf8').replace('demo', 'dem0')
    expect((await verify(second, previous(Buffer.from(changed)))).verdict).toBe('invalid')
    expect((await verify(signed({ number: 2 }))).verdict).toBe('invalid')
    expect((await verify(signed({ previous: key.id as CertificateId }))).verdict).toBe('invalid')
  })

  test('is not checked without a valid signature', async () => {
    const changed = Buffer.from(bytes.toString('utf8').replace('demo', 'dem0'))
    const never = () => Promise.reject(new Error('it was checked'))
    const found = await verify(changed, { tree: never, evidence: never, previous: never })
    expect(found.verdict).toBe('invalid')
  })
})

describe('the rules: however well it is signed, a certificate is invalid', () => {
  const at = '2026-01-02T03:04:05.000Z'
  const approval = { by: 'ann', at, digest: '0'.repeat(64) }
  const changes = [{ path: 'test/a.test.js', what: 'changed' }]
  const sealed = certifiedCheck({ pass: 'sealed', status: 'not-met', exitCode: 1 })
  const failing = certifiedCheck({ name: 'lint', status: 'not-met', exitCode: 1 })
  const consultation = { name: 'review', agent: 'x', at } as const

  test.each<[string, Partial<CertificateDraft>, RegExp]>([
    ['on nothing', { rests: { checks: [] }, checks: [] }, /does not rest on any check/],
    ['on a check that was not run', { checks: [] }, /"test" was not run/],
    [
      'on a check that was only run with sealed files',
      { checks: [certifiedCheck({ pass: 'sealed' })] },
      /was not run/,
    ],
    ...(['not-met', 'error', 'timeout', 'skipped'] as const).map(
      (status): [string, Partial<CertificateDraft>, RegExp] => [
        `on a check that is ${status}`,
        { checks: [certifiedCheck({ status })] },
        new RegExp(`is ${status}`),
      ],
    ),
    [
      'on a check that failed before and may not',
      { checks: [certifiedCheck({ status: 'not-met', existing: true })] },
      /is not-met/,
    ],
    [
      'only on checks that may fail',
      { checks: [certifiedCheck({ status: 'not-met', existing: true, allowed: true })] },
      /No check that it rests on is met/,
    ],
    [
      'on a flaky check alone',
      { checks: [certifiedCheck({ flaky: ['met', 'not-met'] })] },
      /is met and not flaky/,
    ],
    [
      'on a command with another exit code',
      { checks: [certifiedCheck({ exitCode: 1 })] },
      /exited with 1/,
    ],
    ['on a check that is listed twice', { checks: [certifiedCheck(), certifiedCheck()] }, /twice/],
    [
      'that fails with only the work on top of the base',
      { checks: [certifiedCheck(), sealed] },
      /only the work on top of the base/,
    ],
    ['with broken seals', { sealed: { changes } }, /no person approved/],
    [
      'with an open concern',
      { consultations: [{ ...consultation, status: 'concerns-raised' }] },
      /concerns-raised/,
    ],
    ['without an answer', { consultations: [{ ...consultation, status: 'pending' }] }, /pending/],
  ])('%s', async (_what, change, problem) => {
    expect(brokenRules(certificateDraft(change)).join(' ')).toMatch(problem)
    const found = await verify(signed(change))
    expect(found.verdict).toBe('invalid')
    expect(findFinding(found, 'signature')?.status).toBe('ok')
  })

  test.each<[string, Partial<CertificateDraft>]>([
    ['on code alone', { rests: { checks: [], code: 'done' }, checks: [] }],
    ['with a failing check that nothing rests on', { checks: [certifiedCheck(), failing] }],
    [
      'with a flaky check next to a reliable one',
      {
        rests: { checks: ['test', 'lint'] },
        checks: [certifiedCheck(), certifiedCheck({ name: 'lint', flaky: ['not-met', 'met'] })],
      },
    ],
    [
      'with seals changed and approved',
      { checks: [certifiedCheck(), sealed], sealed: { changes, approval } },
    ],
    ['with a concern resolved', { consultations: [{ ...consultation, status: 'resolved' }] }],
    [
      'with flakiness that a person approved',
      {
        checks: [certifiedCheck({ flaky: ['met', 'not-met'] })],
        approvals: [{ ...approval, codes: ['flaky'] }],
      },
    ],
  ])('but not %s', (_what, change) => {
    expect(brokenRules(certificateDraft(change))).toEqual([])
  })

  test('and no approval replaces a check that has to be met', () => {
    const codes = ['check-failed', 'fails-clean', 'timeout', 'check-error', 'flaky']
    const draft = certificateDraft({
      checks: [certifiedCheck({ status: 'not-met', exitCode: 1 })],
      approvals: [{ ...approval, codes }],
    })
    expect(brokenRules(draft)).not.toEqual([])
  })
})
