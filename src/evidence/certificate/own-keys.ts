/**
 * The keys of this installation, in `keys/` of the record's folder: `1.json`, `2.json`… The last signs.
 *
 * K1. Files are 0600 in a folder that is 0700, and ours; anything else is refused with advice.
 * K2. Made when first needed. A key is one file that is placed as a whole, so two processes at once make
 *     one key, and a kill leaves all of it or nothing.
 * K3. A new key is endorsed by the one before, whose private part is then thrown away. The old public key
 *     counts for what was issued until then, and for the moment that a process under way may take.
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
import { isSigned, keyIdOf, makeKeyPair, publicKeyOf, signText } from './ed25519.ts'
import {
  hasPrivateFolder,
  makePrivateFolder,
  placeFile,
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

/** One that can sign. */
export interface SigningKey extends OwnKey {
  readonly privateKey: string
}

const keyBytesMax = 64 * 1024
/** For who has read the old key and is about to sign with it. */
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

/** The one that signs; made if there is none. */
export async function signingKey(folder: string, now: number): Promise<SigningKey> {
  const keys = keysFolder(folder)
  await makePrivateFolder(keys)
  let all = await readKeys(keys)
  if (all.length === 0) {
    await removeAbandoned(keys, now)
    await placeKey(keys, newKey(undefined, now))
    all = await readKeys(keys)
  }
  await forgetOld(keys, all)
  return withPrivate(keys, all)
}

/** A new key in the place of the one that signs. Undefined: somebody else did so at the same moment. */
export async function rotateKey(folder: string, now: number): Promise<SigningKey | undefined> {
  const last = await signingKey(folder, now)
  const keys = keysFolder(folder)
  const made = newKey(last, now)
  const isOurs = await placeKey(keys, made)
  const all = await readKeys(keys)
  await forgetOld(keys, all)
  return isOurs ? withPrivate(keys, all) : undefined
}

/** The first first; empty where there is none yet. Nothing is made. */
export async function ownKeys(folder: string): Promise<readonly OwnKey[]> {
  const keys = keysFolder(folder)
  if (!(await hasPrivateFolder(keys))) return []
  return (await readKeys(keys)).map(({ format: _f, version: _v, privateKey: _p, ...key }) => key)
}

/** As others, and we ourselves, trust them. */
export function toTrusted(own: readonly OwnKey[]): readonly TrustedKey[] {
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

/** That the key before it, which has to be known, signed for it. */
export function isEndorsed(key: TrustedKey, by: Pick<TrustedKey, 'id' | 'publicKey'>): boolean {
  const { endorsedBy } = key
  if (endorsedBy === undefined || endorsedBy.id !== by.id) return false
  const text = endorsedText(key, endorsedBy.installation)
  return isSigned(by.publicKey, {
    domain: endorsementDomain,
    text,
    signature: endorsedBy.signature,
  })
}

const endorsedText = (
  { id, publicKey }: Pick<TrustedKey, 'id' | 'publicKey'>,
  installation: string,
): string => canonicalJson({ id, installation, publicKey })

function newKey(last: SigningKey | undefined, now: number): KeyFile & SigningKey {
  const { publicKey, privateKey } = makeKeyPair()
  const id = keyIdOf(publicKey)
  const installation = last?.installation ?? id
  const text = endorsedText({ id, publicKey }, installation)
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

const pathOf = (keys: string, number: number): string => join(keys, `${number}.json`)

const placeKey = (keys: string, key: KeyFile): Promise<boolean> =>
  placeFile(pathOf(keys, key.number), `${JSON.stringify(key, null, 2)}\n`)

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
  const path = pathOf(keys, number)
  try {
    const text = (await readPrivateFile(path, keyBytesMax)) ?? ''
    const key = keyFileSchema.parse(JSON.parse(text))
    const isWhole =
      key.number === number &&
      key.id === keyIdOf(key.publicKey) &&
      (key.privateKey === undefined || publicKeyOf(key.privateKey) === key.publicKey)
    if (isWhole) return key
  } catch (error) {
    if (error instanceof LoopError) throw error
    throw damaged(path, error)
  }
  throw damaged(path)
}

/** Of all but the last, the private part is of no use but to a thief. */
async function forgetOld(keys: string, all: readonly KeyFile[]): Promise<void> {
  for (const { privateKey, ...rest } of all.slice(0, -1)) {
    if (privateKey === undefined) continue
    await replaceFile(pathOf(keys, rest.number), `${JSON.stringify(rest, null, 2)}\n`)
  }
}

function withPrivate(keys: string, all: readonly KeyFile[]): SigningKey {
  const { format: _f, version: _v, privateKey, ...key } = all.at(-1) ?? {}
  if (privateKey !== undefined && 'id' in key) return { ...key, privateKey }
  throw damaged(pathOf(keys, all.length))
}

const damaged = (path: string, cause?: unknown): LoopError =>
  new LoopError(
    'store-damaged',
    `${path} is no key that can sign. Restore it from a backup; or, to begin with a new key, move the ` +
      'folder away that it is in (what was signed with the old one is then untrusted until its public key is trusted again).',
    { cause },
  )
