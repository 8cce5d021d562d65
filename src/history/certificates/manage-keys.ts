/** Keys for people: which there are, which are trusted, and what is handed to others. */

import {
  givenKeys,
  isEndorsed,
  ownKeys,
  readTrustedKeys,
  renderTrustedKeys,
  signingKey,
  toTrusted,
  trustedKeys,
  trustKeys,
  untrustKey,
} from '../../evidence/certificate/index.ts'
import type { TrustedKey } from '../../protocol/index.ts'

export interface KeyEntry extends TrustedKey {
  /** `signing`: of this installation, and in use. */
  readonly role: 'signing' | 'retired' | 'trusted'
}

export interface TrustedFile {
  readonly added: readonly TrustedKey[]
  /** Of those, the ones for which a key signed that was trusted already. */
  readonly endorsed: readonly string[]
}

export async function listKeys(folder: string): Promise<readonly KeyEntry[]> {
  const own = toTrusted(await ownKeys(folder))
  return [
    ...own.map((key, index): KeyEntry => {
      const role = index === own.length - 1 ? 'signing' : 'retired'
      return { ...key, role }
    }),
    ...(await givenKeys(folder)).map((key): KeyEntry => ({ ...key, role: 'trusted' })),
  ]
}

/** The public keys of this installation as a file for others. One is made where there is none. */
export async function exportKeys(folder: string, now: number): Promise<string> {
  await signingKey(folder, now)
  return renderTrustedKeys(toTrusted(await ownKeys(folder)))
}

export async function trustFile(folder: string, file: string): Promise<TrustedFile> {
  const keys = await readTrustedKeys(file)
  const before = await trustedKeys(folder)
  const added = await trustKeys(folder, keys)
  const endorsed = added.filter((key) => before.some((known) => isEndorsed(key, known)))
  return { added, endorsed: endorsed.map(({ id }) => id) }
}

export const untrust = (folder: string, id: string): Promise<TrustedKey> => untrustKey(folder, id)
