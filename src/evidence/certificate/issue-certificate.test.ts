import { execFile } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { certificateDraft, certifiedCheck } from '../../testing/certificate-draft.ts'
import {
  chainProblems,
  findStoredCertificate,
  listNewestFirst,
  readCertificate,
} from './certificate-store.ts'
import { issueCertificate } from './issue-certificate.ts'

const built = resolve(import.meta.dirname, '../../../dist/evidence/index.js')

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-certificates-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const certificates = (...parts: string[]): string => join(folder, 'certificates', ...parts)
const chain = (number: number): string =>
  certificates('chain', `${String(number).padStart(10, '0')}.json`)

describe('an issued certificate', () => {
  test('has a position in the chain and is found by its id or a prefix of it', async () => {
    const first = await issueCertificate(certificateDraft(), { folder })
    const second = await issueCertificate(certificateDraft(), { folder })
    expect(first.certificate).toMatchObject({ number: 1, previous: null })
    expect(second.certificate).toMatchObject({ number: 2, previous: first.id })
    const bytes = await readCertificate(second.id, { folder })
    expect(await readCertificate(second.id.slice(0, 8), { folder })).toEqual(bytes)
    expect(await findStoredCertificate('0'.repeat(64), { folder })).toBeUndefined()
    expect(await chainProblems({ folder })).toEqual([])
  })

  test('is private to the user', async () => {
    const { id } = await issueCertificate(certificateDraft(), { folder })
    expect(statSync(certificates()).mode & 0o777).toBe(0o700)
    expect(statSync(certificates(`${id}.json`)).mode & 0o777).toBe(0o600)
  })

  test('that a crash left without its link by id is found, and the next one adds the link', async () => {
    const { id } = await issueCertificate(certificateDraft(), { folder })
    unlinkSync(certificates(`${id}.json`))
    expect(await findStoredCertificate(id, { folder })).toBeDefined()
    await issueCertificate(certificateDraft(), { folder })
    expect(existsSync(certificates(`${id}.json`))).toBe(true)
  })

  test('is not followed by another if it is damaged, and the message says what to do', async () => {
    await issueCertificate(certificateDraft(), { folder })
    truncateSync(chain(1), 100)
    await expect(issueCertificate(certificateDraft(), { folder })).rejects.toMatchObject({
      code: 'store-damaged',
      message: expect.stringContaining('Restore it from a backup'),
    })
    expect(await chainProblems({ folder })).toEqual([
      expect.stringContaining('was changed after signing'),
    ])
  })

  test('that a killed process wrote partially does not count', async () => {
    await issueCertificate(certificateDraft(), { folder })
    writeFileSync(certificates('chain', '.new-half'), '{"certificate":')
    const { certificate } = await issueCertificate(certificateDraft(), { folder })
    expect(certificate.number).toBe(2)
    expect(await chainProblems({ folder })).toEqual([])
  })
})

test('a chain with a gap reports the missing certificate', async () => {
  for (let issued = 0; issued < 3; issued += 1) {
    await issueCertificate(certificateDraft(), { folder })
  }
  unlinkSync(chain(2))
  expect(await chainProblems({ folder })).toEqual(['Certificate 2 is missing.'])
})

test('a draft that breaks the rules or the schema is not signed', async () => {
  const timeout = certificateDraft({ checks: [certifiedCheck({ status: 'timeout' })] })
  await expect(issueCertificate(timeout, { folder })).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining('"test" is timeout'),
  })
  const wrong = certificateDraft({ checks: [certifiedCheck({ startedAt: 'yesterday' })] })
  await expect(issueCertificate(wrong, { folder })).rejects.toMatchObject({ code: 'bad-request' })
  expect(existsSync(certificates())).toBe(false)
})

test('concurrent processes create one key and one chain without gaps', async () => {
  const code = `
    const { issueCertificate } = await import(${JSON.stringify(built)})
    const draft = JSON.parse(process.argv[1])
    for (let n = 0; n < 20; n += 1) await issueCertificate(draft, { folder: process.argv[2] })`
  const draft = JSON.stringify(certificateDraft())
  const start = (): Promise<unknown> =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code, draft, folder])
  await Promise.all([start(), start()])
  expect(await chainProblems({ folder })).toEqual([])
  const keys = new Set<string>()
  const numbers: number[] = []
  for await (const { certificate } of listNewestFirst({ folder })) {
    keys.add(certificate.installation)
    numbers.push(certificate.number)
  }
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => 40 - index))
  expect(keys.size).toBe(1)
  expect(readdirSync(join(folder, 'keys'))).toEqual(['1.json'])
})

describe('a folder of certificates that is', () => {
  test('a link is refused', async () => {
    mkdirSync(join(folder, 'elsewhere'))
    mkdirSync(certificates(), { mode: 0o700 })
    symlinkSync(join(folder, 'elsewhere'), certificates('chain'))
    await expect(issueCertificate(certificateDraft(), { folder })).rejects.toMatchObject({
      code: 'not-configured',
      message: expect.stringContaining('is a link'),
    })
  })

  test('with a duplicate entry keeps the existing files', async () => {
    await issueCertificate(certificateDraft(), { folder })
    linkSync(chain(1), chain(2))
    await expect(issueCertificate(certificateDraft(), { folder })).rejects.toMatchObject({
      code: 'store-damaged',
    })
  })
})
