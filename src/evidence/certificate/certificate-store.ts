/**
 * Where certificates are: `certificates/` of the record's folder. `chain/0000000001.json` has its place in
 * the chain, and `<id>.json` is the same file under its own name.
 */

import { link, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobId, type CertificateId, LoopError } from '../../loop/index.ts'
import { type Certificate, certificateBytesMax } from '../../protocol/index.ts'
import { keptWith, openCertificate } from './certificate-file.ts'
import { hasCode, makePrivateFolder, placeFile, readFileOnly } from './private-files.ts'

export interface CertificateStore {
  /** The folder of the record. */
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

const placeInChain = (store: CertificateStore, number: number): string =>
  join(chainFolder(store), `${String(number).padStart(10, '0')}.json`)

const pathOfId = (store: CertificateStore, id: string): string =>
  join(certificatesFolder(store), `${id}.json`)

/** False: another process has taken this place in the chain. */
export async function storeCertificate(
  to: CertificateStore,
  number: number,
  { id, bytes }: { readonly id: CertificateId; readonly bytes: Uint8Array },
): Promise<boolean> {
  await makePrivateFolder(certificatesFolder(to))
  await makePrivateFolder(chainFolder(to))
  if (!(await placeFile(placeInChain(to, number), bytes))) return false
  await nameById(to, number, id)
  return true
}

/** The last of the chain. A kill may have come before it had its second name: it gets it now. */
export async function lastCertificate(
  from: CertificateStore,
): Promise<StoredCertificate | undefined> {
  const number = (await chainNumbers(from)).at(-1)
  if (number === undefined) return undefined
  const last = await certificateAt(from, number)
  await nameById(from, number, last.id)
  return last
}

/** Rejects where it is not what it was, or not there. */
export async function certificateAt(
  from: CertificateStore,
  number: number,
): Promise<StoredCertificate> {
  const path = placeInChain(from, number)
  const bytes = await readFileOnly(path, certificateBytesMax)
  const opened = bytes === undefined ? undefined : openCertificate(bytes)
  if (bytes !== undefined && opened?.type === 'read') {
    const { id, signed, isCanonical, isSigned } = opened
    const { certificate } = signed
    if (isCanonical && isSigned && certificate.number === number) return { id, certificate, bytes }
  }
  const advice = `Restore it from a backup; or move ${certificatesFolder(from)} away, to begin a new chain.`
  const what = bytes === undefined ? 'is missing' : 'is not as it was signed'
  throw new LoopError('store-damaged', `The certificate ${path} ${what}. ${advice}`)
}

/** In order. */
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

/** By its id, or a part of it from 8 digits on. As it lies there: see `verifyCertificate`. */
export async function readCertificate(id: string, from: CertificateStore): Promise<Buffer> {
  const found = await findById(id, from)
  if (found !== undefined) return found
  const advice = 'See which there are: loopctl certificate.'
  throw new LoopError('unknown-artifact', `There is no certificate ${id} here. ${advice}`)
}

/** Undefined: there is none. */
export async function findById(id: string, from: CertificateStore): Promise<Buffer | undefined> {
  if (!/^[0-9a-f]{8,64}$/.test(id)) return undefined
  const whole = id.length === 64 ? [id] : await idsFrom(id, from)
  if (whole.length > 1) {
    const advice = 'Give more of its digits.'
    throw new LoopError('bad-request', `Several certificates begin with ${id}. ${advice}`)
  }
  const [only] = whole
  if (only === undefined) return undefined
  return (await readFileOnly(pathOfId(from, only), certificateBytesMax)) ?? inChain(only, from)
}

/** Of this run, by id or name; the newest first. Damaged ones are passed over. */
export async function* certificatesOf(
  run: string,
  from: CertificateStore,
): AsyncGenerator<StoredCertificate> {
  for await (const found of newestFirst(from)) {
    const { what } = found.certificate
    if (what.name === run || (what.type === 'run' && what.run === run)) yield found
  }
}

/** Damaged ones are passed over. With `before`, only those with a lower number. */
export async function* newestFirst(
  from: CertificateStore,
  before: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<StoredCertificate> {
  for (const number of (await chainNumbers(from)).toReversed()) {
    if (number >= before) continue
    const found = await certificateAt(from, number).catch(() => undefined)
    if (found !== undefined) yield found
  }
}

/** What checks printed, for all certificates. Rejects where one cannot be read. */
export async function* certifiedOutputs(from: CertificateStore): AsyncGenerator<BlobId> {
  for (const number of await chainNumbers(from)) {
    const { certificate } = await certificateAt(from, number)
    for (const digest of keptWith(certificate)) yield digest as BlobId
  }
}

/** Where the chain is broken: gaps, certificates that changed, and those that do not fit together. */
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
    const wasThere = number === 1 || before?.certificate.number === number - 1
    if (found !== undefined && wasThere && found.certificate.previous !== (before?.id ?? null)) {
      problems.push(`Certificate ${number} does not name the one before it.`)
    }
    before = found
  }
  return problems
}

async function idsFrom(start: string, from: CertificateStore): Promise<readonly string[]> {
  const names = await readdir(certificatesFolder(from)).catch((): string[] => [])
  return names.flatMap((name) =>
    name.startsWith(start) && /^[0-9a-f]{64}\.json$/.test(name) ? name.slice(0, 64) : [],
  )
}

/** A kill, or a power loss, may have taken its second name. */
async function inChain(id: string, from: CertificateStore): Promise<Buffer | undefined> {
  for await (const found of newestFirst(from)) if (found.id === id) return found.bytes
  return undefined
}

async function nameById(to: CertificateStore, number: number, id: CertificateId): Promise<void> {
  await link(placeInChain(to, number), pathOfId(to, id)).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
}
