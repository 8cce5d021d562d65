/**
 * Stores certificates in `certificates/` of the state folder. `chain/0000000001.json` is the position in the
 * chain, and `<id>.json` is a hard link to the same file.
 */

import { link, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobId, type CertificateId, LoopError } from '../../loop/index.ts'
import { type Certificate, certificateBytesMax } from '../../protocol/index.ts'
import { listStoredDigests, openCertificate } from './certificate-file.ts'
import { createFile, createPrivateFolder, hasCode, readRegularFile } from './private-files.ts'

export interface CertificateStore {
  /** The state folder. */
  readonly folder: string
  readonly now?: () => number
}

export interface StoredCertificate {
  readonly id: CertificateId
  readonly certificate: Certificate
  readonly bytes: Buffer
}

export const certificatesFolder = ({ folder }: CertificateStore): string =>
  join(folder, 'certificates')

const chainFolder = (store: CertificateStore): string => join(certificatesFolder(store), 'chain')

const chainPath = (store: CertificateStore, number: number): string =>
  join(chainFolder(store), `${String(number).padStart(10, '0')}.json`)

const idPath = (store: CertificateStore, id: string): string =>
  join(certificatesFolder(store), `${id}.json`)

/** False: another process has taken this position in the chain. */
export async function storeCertificate(
  to: CertificateStore,
  number: number,
  { id, bytes }: { readonly id: CertificateId; readonly bytes: Uint8Array },
): Promise<boolean> {
  await createPrivateFolder(certificatesFolder(to))
  await createPrivateFolder(chainFolder(to))
  if (!(await createFile(chainPath(to, number), bytes))) return false
  await linkById(to, number, id)
  return true
}

/** The last one of the chain. If a crash prevented its link by id, creates it now. */
export async function lastCertificate(
  from: CertificateStore,
): Promise<StoredCertificate | undefined> {
  const number = (await chainNumbers(from)).at(-1)
  if (number === undefined) return undefined
  const last = await certificateAt(from, number)
  await linkById(from, number, last.id)
  return last
}

/** Rejects if it was changed or is missing. */
export async function certificateAt(
  from: CertificateStore,
  number: number,
): Promise<StoredCertificate> {
  const path = chainPath(from, number)
  const bytes = await readRegularFile(path, certificateBytesMax)
  const opened = bytes === undefined ? undefined : openCertificate(bytes)
  if (bytes !== undefined && opened?.type === 'read') {
    const { id, signed, isCanonical, isSigned } = opened
    const { certificate } = signed
    if (isCanonical && isSigned && certificate.number === number) return { id, certificate, bytes }
  }
  const advice = `Restore it from a backup, or move ${certificatesFolder(from)} away to start a new chain.`
  const what = bytes === undefined ? 'is missing' : 'was changed after signing'
  throw new LoopError('store-damaged', `The certificate ${path} ${what}. ${advice}`)
}

/** Sorted. */
export async function chainNumbers(from: CertificateStore): Promise<readonly number[]> {
  const names = await readdir(chainFolder(from)).catch((error: unknown): string[] => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  })
  return names
    .flatMap((name) => /^(\d{10})\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
}

/** By its id or a prefix of at least 8 digits. Not verified: see `verifyCertificate`. */
export async function readCertificate(id: string, from: CertificateStore): Promise<Buffer> {
  const found = await findStoredCertificate(id, from)
  if (found !== undefined) return found
  const advice = 'To list them: loopctl certificate'
  throw new LoopError('unknown-artifact', `There is no certificate ${id} here. ${advice}`)
}

/** Undefined: it does not exist. */
export async function findStoredCertificate(
  id: string,
  from: CertificateStore,
): Promise<Buffer | undefined> {
  if (!/^[0-9a-f]{8,64}$/.test(id)) return undefined
  const ids = id.length === 64 ? [id] : await findIds(id, from)
  if (ids.length > 1) {
    const advice = 'Use more digits.'
    throw new LoopError(
      'bad-request',
      `${id} is ambiguous: several certificates start with it. ${advice}`,
    )
  }
  const [only] = ids
  if (only === undefined) return undefined
  return (await readRegularFile(idPath(from, only), certificateBytesMax)) ?? findInChain(only, from)
}

/** The certificates of this run, by id or name; newest first. Skips damaged ones. */
export async function* listRunCertificates(
  run: string,
  from: CertificateStore,
): AsyncGenerator<StoredCertificate> {
  for await (const found of listNewestFirst(from)) {
    const { what } = found.certificate
    if (what.name === run || (what.type === 'run' && what.run === run)) yield found
  }
}

/** Skips damaged ones. With `before`, only those with a lower number. */
export async function* listNewestFirst(
  from: CertificateStore,
  before: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<StoredCertificate> {
  for (const number of (await chainNumbers(from)).toReversed()) {
    if (number >= before) continue
    const found = await certificateAt(from, number).catch(() => undefined)
    if (found !== undefined) yield found
  }
}

/** The outputs stored for all certificates. Rejects if one cannot be read. */
export async function* certifiedOutputs(from: CertificateStore): AsyncGenerator<BlobId> {
  for (const number of await chainNumbers(from)) {
    const { certificate } = await certificateAt(from, number)
    for (const digest of listStoredDigests(certificate)) yield digest as BlobId
  }
}

/** Where the chain is broken: gaps, changed certificates, and wrong links between them. */
export async function chainProblems(from: CertificateStore): Promise<readonly string[]> {
  const problems: string[] = []
  let before: StoredCertificate | undefined
  let expected = 1
  for (const number of await chainNumbers(from)) {
    for (; expected < number; expected += 1) problems.push(`Certificate ${expected} is missing.`)
    expected = number + 1
    const found = await certificateAt(from, number).catch((error: unknown) => {
      problems.push(error instanceof Error ? error.message : String(error))
      return undefined
    })
    const hasPrevious = number === 1 || before?.certificate.number === number - 1
    if (found !== undefined && hasPrevious && found.certificate.previous !== (before?.id ?? null)) {
      problems.push(`Certificate ${number} does not name its predecessor.`)
    }
    before = found
  }
  return problems
}

async function findIds(start: string, from: CertificateStore): Promise<readonly string[]> {
  const names = await readdir(certificatesFolder(from)).catch((): string[] => [])
  return names.flatMap((name) =>
    name.startsWith(start) && /^[0-9a-f]{64}\.json$/.test(name) ? name.slice(0, 64) : [],
  )
}

/** For a crash that prevented the link by id. */
async function findInChain(id: string, from: CertificateStore): Promise<Buffer | undefined> {
  for await (const found of listNewestFirst(from)) if (found.id === id) return found.bytes
  return undefined
}

async function linkById(to: CertificateStore, number: number, id: CertificateId): Promise<void> {
  await link(chainPath(to, number), idPath(to, id)).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
}
