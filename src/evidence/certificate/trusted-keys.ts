/**
 * Whose certificates count here: the installation's own keys, and those in `keys/trusted.json`, which a
 * person puts there.
 *
 * The file is changed by one process at a time and replaced as a whole. It is refused where somebody else
 * could have written it.
 */

import { realpath, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import {
  type TrustedKey,
  trustedKeysBytesMax,
  trustedKeysFormat,
  trustedKeysSchema,
  trustedKeysVersion,
} from '../../protocol/index.ts'
import { keyIdOf } from './ed25519.ts'
import { keysFolder, ownKeys, toTrusted } from './own-keys.ts'
import {
  hasPrivateFolder,
  makePrivateFolder,
  placeFile,
  readFileOnly,
  readPrivateFile,
  replaceFile,
} from './private-files.ts'

/** All that count in this installation; empty where it has no keys and trusts none. Nothing is made. */
export async function trustedKeys(folder: string): Promise<readonly TrustedKey[]> {
  const own = toTrusted(await ownKeys(folder))
  const given = await givenKeys(folder)
  return [...own, ...given.filter(({ id }) => !own.some((key) => key.id === id))]
}

/** Those of others. */
export async function givenKeys(folder: string): Promise<readonly TrustedKey[]> {
  if (!(await hasPrivateFolder(keysFolder(folder)))) return []
  const path = trustedPath(folder)
  const text = await readPrivateFile(path, trustedKeysBytesMax)
  return text === undefined ? [] : parseTrustedKeys(text, path)
}

/** A file that a person named. */
export async function readTrustedKeys(path: string): Promise<readonly TrustedKey[]> {
  const bytes = await realpath(path)
    .then((real) => readFileOnly(real, trustedKeysBytesMax))
    .catch((error: unknown) => {
      if (error instanceof LoopError) throw error
      return undefined
    })
  if (bytes === undefined) {
    const advice = 'Name a file that loopctl keys export printed.'
    throw new LoopError('unknown-file', `There is no file ${path} that can be read. ${advice}`)
  }
  return parseTrustedKeys(bytes.toString('utf8'), path)
}

/** The keys that were new here, or are said otherwise now. */
export function trustKeys(
  folder: string,
  keys: readonly TrustedKey[],
): Promise<readonly TrustedKey[]> {
  return change(folder, (known) => {
    const own = new Set(keys.map(({ id }) => id))
    const added = keys.filter(
      (key) => !known.some((one) => JSON.stringify(one) === JSON.stringify(key)),
    )
    return { keys: [...known.filter(({ id }) => !own.has(id)), ...keys], result: added }
  })
}

/** By its id, or a part of it from 8 digits on. */
export async function untrustKey(folder: string, id: string): Promise<TrustedKey> {
  const isMeant = (key: { readonly id: string }): boolean => id.length >= 8 && key.id.startsWith(id)
  const own = (await ownKeys(folder)).find(isMeant)
  if (own !== undefined) {
    const advice = 'To sign with another: loopctl keys rotate.'
    throw new LoopError('bad-request', `${own.id} is a key of this installation itself. ${advice}`)
  }
  return change(folder, (known) => {
    const [found, ...others] = known.filter(isMeant)
    if (found !== undefined && others.length === 0) {
      return { keys: known.filter((key) => key !== found), result: found }
    }
    const what = found === undefined ? 'No key that is trusted begins' : 'Several keys begin'
    const advice = 'See which there are: loopctl keys list.'
    throw new LoopError('bad-request', `${what} with ${JSON.stringify(id)}. ${advice}`)
  })
}

export const renderTrustedKeys = (keys: readonly TrustedKey[]): string =>
  JSON.stringify({ format: trustedKeysFormat, version: trustedKeysVersion, keys }, null, 2)

export function parseTrustedKeys(text: string, name: string): readonly TrustedKey[] {
  const parsed = trustedKeysSchema.safeParse(jsonIn(text))
  const advice = 'It must be what loopctl keys export prints; see docs/certificates.md.'
  if (!parsed.success) {
    throw new LoopError('bad-request', `${name} is no list of trusted keys. ${advice}`)
  }
  const { keys } = parsed.data
  const wrong = keys.find(({ id, publicKey }) => id !== keyIdOf(publicKey))
  if (wrong === undefined) return keys
  throw new LoopError('bad-request', `${name}: ${wrong.id} is not the id of its key. ${advice}`)
}

const trustedPath = (folder: string): string => join(keysFolder(folder), 'trusted.json')

async function change<T>(
  folder: string,
  make: (known: readonly TrustedKey[]) => {
    readonly keys: readonly TrustedKey[]
    readonly result: T
  },
): Promise<T> {
  await makePrivateFolder(keysFolder(folder))
  const lock = `${trustedPath(folder)}.lock`
  if (!(await placeFile(lock, `${process.pid}\n`))) {
    const advice = `Try again; if nobody else does (loopctl keys was killed), remove ${lock}.`
    throw new LoopError('run-busy', `Somebody else changes the trusted keys. ${advice}`)
  }
  try {
    const { keys, result } = make(await givenKeys(folder))
    await replaceFile(trustedPath(folder), `${renderTrustedKeys(keys)}\n`)
    return result
  } finally {
    await unlink(lock)
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
