/** Lists, exports and trusts keys, for users. */

import {
  isEndorsed,
  ownKeys,
  readForeignKeys,
  readTrustedKeys,
  renderTrustedKeys,
  signingKey,
  toTrustedKeys,
  trustedKeys,
  trustKeys,
  untrustKey,
} from '../../evidence/certificate/index.ts'
import type { TrustedKey } from '../../protocol/index.ts'

export interface KeyEntry extends TrustedKey {
  /** `signing`: the current key of this installation. */
  readonly role: 'signing' | 'retired' | 'trusted'
}

export interface TrustedFile {
  readonly added: readonly TrustedKey[]
  /** The added keys that are endorsed by a key that was trusted before. */
  readonly endorsed: readonly string[]
}

export async function listKeys(folder: string): Promise<readonly KeyEntry[]> {
  const own = toTrustedKeys(await ownKeys(folder))
  return [
    ...own.map((key, index): KeyEntry => {
      const role = index === own.length - 1 ? 'signing' : 'retired'
      return { ...key, role }
    }),
    ...(await readForeignKeys(folder)).map((key): KeyEntry => ({ ...key, role: 'trusted' })),
  ]
}

/** Exports the public keys of this installation as a file. Creates a key if there is none. */
export async function exportKeys(folder: string, now: number): Promise<string> {
  await signingKey(folder, now)
  return renderTrustedKeys(toTrustedKeys(await ownKeys(folder)))
}

export async function trustFile(folder: string, file: string): Promise<TrustedFile> {
  const keys = await readTrustedKeys(file)
  const before = await trustedKeys(folder)
  const added = await trustKeys(folder, keys)
  const endorsed = added.filter((key) => before.some((known) => isEndorsed(key, known)))
  return { added, endorsed: endorsed.map(({ id }) => id) }
}

export const untrustKeyById = (folder: string, id: string): Promise<TrustedKey> =>
  untrustKey(folder, id)
