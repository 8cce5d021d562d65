/**
 * The keys whose certificates count here: those of the installation, and those in `keys/trusted.json`, which the
 * user adds.
 *
 * One process at a time changes the file, and replaces it as a whole. It is refused if another user could have
 * written it.
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
import { toKeyId } from './ed25519.ts'
import { keysFolder, ownKeys, toTrustedKeys } from './own-keys.ts'
import {
  createFile,
  createPrivateFolder,
  hasPrivateFolder,
  readPrivateFile,
  readRegularFile,
  replaceFile,
} from './private-files.ts'

/** All keys that this installation trusts, possibly none. Creates nothing. */
export async function trustedKeys(folder: string): Promise<readonly TrustedKey[]> {
  const own = toTrustedKeys(await ownKeys(folder))
  const given = await readForeignKeys(folder)
  return [...own, ...given.filter(({ id }) => !own.some((key) => key.id === id))]
}

/** Keys of other installations. */
export async function readForeignKeys(folder: string): Promise<readonly TrustedKey[]> {
  if (!(await hasPrivateFolder(keysFolder(folder)))) return []
  const path = trustedPath(folder)
  const text = await readPrivateFile(path, trustedKeysBytesMax)
  return text === undefined ? [] : parseTrustedKeys(text, path)
}

/** Reads a file that the user named. */
export async function readTrustedKeys(path: string): Promise<readonly TrustedKey[]> {
  const bytes = await realpath(path)
    .then((real) => readRegularFile(real, trustedKeysBytesMax))
    .catch((error: unknown) => {
      if (error instanceof LoopError) throw error
      return undefined
    })
  if (bytes === undefined) {
    const advice = 'Name a file with the output of: loopctl keys export'
    throw new LoopError('unknown-file', `Cannot read ${path}. ${advice}`)
  }
  return parseTrustedKeys(bytes.toString('utf8'), path)
}

/** Returns the keys that are new or changed. */
export function trustKeys(
  folder: string,
  keys: readonly TrustedKey[],
): Promise<readonly TrustedKey[]> {
  return change(folder, (known) => {
    const ids = new Set(keys.map(({ id }) => id))
    const added = keys.filter(
      (key) => !known.some((other) => JSON.stringify(other) === JSON.stringify(key)),
    )
    return { keys: [...known.filter(({ id }) => !ids.has(id)), ...keys], result: added }
  })
}

/** By its id or a prefix of at least 8 digits. */
export async function untrustKey(folder: string, id: string): Promise<TrustedKey> {
  const isMeant = (key: { readonly id: string }): boolean => id.length >= 8 && key.id.startsWith(id)
  const own = (await ownKeys(folder)).find(isMeant)
  if (own !== undefined) {
    const advice = 'To sign with a new key: loopctl keys rotate'
    throw new LoopError('bad-request', `${own.id} is a key of this installation. ${advice}`)
  }
  return change(folder, (known) => {
    const [found, ...others] = known.filter(isMeant)
    if (found !== undefined && others.length === 0) {
      return { keys: known.filter((key) => key !== found), result: found }
    }
    const what = found === undefined ? 'No trusted key starts' : 'Several keys start'
    const advice = 'To list them: loopctl keys list'
    throw new LoopError('bad-request', `${what} with ${JSON.stringify(id)}. ${advice}`)
  })
}

export const renderTrustedKeys = (keys: readonly TrustedKey[]): string =>
  JSON.stringify({ format: trustedKeysFormat, version: trustedKeysVersion, keys }, null, 2)

export function parseTrustedKeys(text: string, name: string): readonly TrustedKey[] {
  const parsed = trustedKeysSchema.safeParse(tryParseJson(text))
  const advice = 'It must be the output of loopctl keys export; see docs/certificates.md.'
  if (!parsed.success) {
    throw new LoopError('bad-request', `${name} is not a list of trusted keys. ${advice}`)
  }
  const { keys } = parsed.data
  const wrong = keys.find(({ id, publicKey }) => id !== toKeyId(publicKey))
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
  await createPrivateFolder(keysFolder(folder))
  const lock = `${trustedPath(folder)}.lock`
  if (!(await createFile(lock, `${process.pid}\n`))) {
    const advice = `Try again. If no process is running (loopctl keys was killed), remove ${lock}`
    throw new LoopError('run-busy', `Another process is changing the trusted keys. ${advice}`)
  }
  try {
    const { keys, result } = make(await readForeignKeys(folder))
    await replaceFile(trustedPath(folder), `${renderTrustedKeys(keys)}\n`)
    return result
  } finally {
    await unlink(lock)
  }
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
