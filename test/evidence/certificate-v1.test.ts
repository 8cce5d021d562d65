// Certificates of an earlier version still verify: it wrote the files in `certificate-v1`.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyCertificate } from '../../src/evidence/index.ts'
import { signedCertificateSchema, trustedKeysSchema } from '../../src/protocol/index.ts'

const read = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, 'certificate-v1', name))
const trusted = trustedKeysSchema.parse(JSON.parse(read('keys.json').toString())).keys

describe('a version 1 certificate', () => {
  test('is valid, and so is the one that follows it', async () => {
    const first = await verifyCertificate(read('first.certificate'), { trusted })
    expect(first.certificate?.version).toBe(1)
    expect(first.verdict).toBe('valid')
    const previous = async (): Promise<Buffer> => read('first.certificate')
    const second = await verifyCertificate(read('second.certificate'), { trusted, previous })
    expect(second.verdict).toBe('valid')
    expect(second.findings.find(({ look }) => look === 'chain')?.status).toBe('ok')
  })

  test('is invalid as version 2, because the signature covers the version', async () => {
    const text = read('first.certificate').toString().replace('"version":1', '"version":2')
    const { verdict, findings } = await verifyCertificate(Buffer.from(text), { trusted })
    expect(verdict).toBe('invalid')
    expect(findings.find(({ look }) => look === 'signature')?.status).toBe('failed')
  })

  test('cannot have the parts of version 2', () => {
    const value = JSON.parse(read('first.certificate').toString())
    value.certificate.changes = []
    expect(signedCertificateSchema.safeParse(value).success).toBe(false)
  })
})
