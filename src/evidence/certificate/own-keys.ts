/**
 * The keys of this installation, in `keys/` of the state folder: `1.json`, `2.json`… The last one signs.
 *
 * K1. Files have mode 0600 in a folder with mode 0700, owned by the user; anything else is refused with advice.
 * K2. Created on first use. A key is one file that is created atomically, so concurrent processes create one
 *     key, and a crash leaves all of it or nothing.
 * K3. A new key is endorsed by the previous one, whose private part is then deleted. The old public key stays
 *     valid for what was issued until then, plus a grace period for processes that are about to sign.
 */

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { defined, LoopError } from '../../loop/index.ts'
import {
  canonicalJson,
  type Endorsement,
  endorsementDomain,
  endorsementSchema,
  type TrustedKey,
} from '../../protocol/index.ts'
import { createKeyPair, isSigned, signText, toKeyId, toPublicKey } from './ed25519.ts'
import {
  createFile,
  createPrivateFolder,
  hasPrivateFolder,
  readPrivateFile,
  removeAbandoned,
  replaceFile,
} from './private-files.ts'

export interface OwnKey {
  readonly number: number
  readonly id: string
  readonly installation: string
  readonly publicKey: string
  readonly createdAt: string
  readonly endorsedBy?: Endorsement
}

/** A key that can sign. */
export interface SigningKey extends OwnKey {
  readonly privateKey: string
}

const keyBytesMax = 64 * 1024
/** For processes that have read the old key and are about to sign with it. */
const graceMs = 60_000

const digest = z.string().regex(/^[0-9a-f]{64}$/)

const keyFileSchema = z.strictObject({
  format: z.literal('loopwright-key'),
  version: z.literal(1),
  number: z.int().positive(),
  id: digest,
  installation: digest,
  publicKey: digest,
  privateKey: z.string().exactOptional(),
  createdAt: z.iso.datetime({ offset: true }),
  endorsedBy: endorsementSchema.exactOptional(),
})

type KeyFile = z.infer<typeof keyFileSchema>

export const keysFolder = (folder: string): string => join(folder, 'keys')

/** The key that signs; created if there is none. */
export async function signingKey(folder: string, now: number): Promise<SigningKey> {
  const keys = keysFolder(folder)
  await createPrivateFolder(keys)
  let all = await readKeys(keys)
  if (all.length === 0) {
    await removeAbandoned(keys, now)
    await writeKey(keys, newKey(undefined, now))
    all = await readKeys(keys)
  }
  await deleteOldPrivateKeys(keys, all)
  return toSigningKey(keys, all)
}

/** Replaces the key that signs. Undefined: another process did so at the same moment. */
export async function rotateKey(folder: string, now: number): Promise<SigningKey | undefined> {
  const last = await signingKey(folder, now)
  const keys = keysFolder(folder)
  const isOurs = await writeKey(keys, newKey(last, now))
  const all = await readKeys(keys)
  await deleteOldPrivateKeys(keys, all)
  return isOurs ? toSigningKey(keys, all) : undefined
}

/** Oldest first; empty if there are none yet. Creates nothing. */
export async function ownKeys(folder: string): Promise<readonly OwnKey[]> {
  const keys = keysFolder(folder)
  if (!(await hasPrivateFolder(keys))) return []
  return (await readKeys(keys)).map(({ format: _f, version: _v, privateKey: _p, ...key }) => key)
}

/** In the form in which others, and this installation itself, trust them. */
export function toTrustedKeys(own: readonly OwnKey[]): readonly TrustedKey[] {
  return own.map((key, index) => {
    const next = own[index + 1]
    const untilMs = next === undefined ? undefined : Date.parse(next.createdAt) + graceMs
    return {
      id: key.id,
      publicKey: key.publicKey,
      name: `installation ${key.installation.slice(0, 12)}, key ${key.number}`,
      since: key.createdAt,
      ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
      ...defined({ endorsedBy: key.endorsedBy }),
    }
  })
}

/** Whether the given previous key signed for it. */
export function isEndorsed(key: TrustedKey, by: Pick<TrustedKey, 'id' | 'publicKey'>): boolean {
  const { endorsedBy } = key
  if (endorsedBy === undefined || endorsedBy.id !== by.id) return false
  const text = endorsementText(key, endorsedBy.installation)
  return isSigned(by.publicKey, {
    domain: endorsementDomain,
    text,
    signature: endorsedBy.signature,
  })
}

const endorsementText = (
  { id, publicKey }: Pick<TrustedKey, 'id' | 'publicKey'>,
  installation: string,
): string => canonicalJson({ id, installation, publicKey })

function newKey(last: SigningKey | undefined, now: number): KeyFile & SigningKey {
  const { publicKey, privateKey } = createKeyPair()
  const id = toKeyId(publicKey)
  const installation = last?.installation ?? id
  const text = endorsementText({ id, publicKey }, installation)
  const endorsedBy = last && {
    id: last.id,
    installation,
    signature: signText(last.privateKey, endorsementDomain, text),
  }
  return {
    format: 'loopwright-key',
    version: 1,
    number: (last?.number ?? 0) + 1,
    id,
    installation,
    publicKey,
    privateKey,
    createdAt: new Date(now).toISOString(),
    ...defined({ endorsedBy }),
  }
}

const keyPath = (keys: string, number: number): string => join(keys, `${number}.json`)

const writeKey = (keys: string, key: KeyFile): Promise<boolean> =>
  createFile(keyPath(keys, key.number), `${JSON.stringify(key, null, 2)}\n`)

async function readKeys(keys: string): Promise<readonly KeyFile[]> {
  const numbers = (await readdir(keys))
    .flatMap((name) => /^([1-9]\d{0,8})\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
  const found: KeyFile[] = []
  for (const number of numbers) found.push(await readKey(keys, number))
  return found
}

async function readKey(keys: string, number: number): Promise<KeyFile> {
  const path = keyPath(keys, number)
  try {
    const text = (await readPrivateFile(path, keyBytesMax)) ?? ''
    const key = keyFileSchema.parse(JSON.parse(text))
    const isConsistent =
      key.number === number &&
      key.id === toKeyId(key.publicKey) &&
      (key.privateKey === undefined || toPublicKey(key.privateKey) === key.publicKey)
    if (isConsistent) return key
  } catch (error) {
    if (error instanceof LoopError) throw error
    throw damaged(path, error)
  }
  throw damaged(path)
}

/** Only the last private key is needed; the others would only help a thief. */
async function deleteOldPrivateKeys(keys: string, all: readonly KeyFile[]): Promise<void> {
  for (const { privateKey, ...rest } of all.slice(0, -1)) {
    if (privateKey === undefined) continue
    await replaceFile(keyPath(keys, rest.number), `${JSON.stringify(rest, null, 2)}\n`)
  }
}

function toSigningKey(keys: string, all: readonly KeyFile[]): SigningKey {
  const { format: _f, version: _v, privateKey, ...key } = all.at(-1) ?? {}
  if (privateKey !== undefined && 'id' in key) return { ...key, privateKey }
  throw damaged(keyPath(keys, all.length))
}

const damaged = (path: string, cause?: unknown): LoopError =>
  new LoopError(
    'store-damaged',
    `${path} is not a valid signing key. Restore it from a backup. Or move its folder away to start with a ` +
      'new key; certificates of the old one are then untrusted until its public key is trusted again.',
    { cause },
  )
