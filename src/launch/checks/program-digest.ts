/** The digest of the program that a command starts, for the certificate. */

import { createHash } from 'node:crypto'
import { createReadStream, realpathSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { findProgram } from '../../sandbox/index.ts'
import { sha256 } from '../../system/index.ts'

const bytesMax = 200 * 1024 * 1024

/** Cached by file and stat, because programs are large and used often. */
const known = new Map<string, Promise<string>>()
const knownMax = 1000
/** Node has about 100 MB: fewer and larger reads. */
const chunkBytes = 1024 * 1024

/** Covers the program, and for a shell the first program of its script. */
export async function programDigest(
  command: readonly string[],
  folder: string,
  path?: string,
): Promise<string> {
  const digests: string[] = []
  for (const name of programsOf(command)) {
    digests.push(`${basename(name)} ${await digestOfFile(fileOf(name, folder, path))}`)
  }
  return sha256(digests.join('\n'))
}

function programsOf([program = '', flag, text]: readonly string[]): readonly string[] {
  const isShell = /(?:^|\/)(?:ba|da|z|k)?sh$/.test(program) && flag === '-c'
  const first = isShell
    ? /^\s*(?:[A-Za-z_]\w*=\S*\s+)*([\w@%+.,/-]+)/.exec(text ?? '')?.[1]
    : undefined
  return first === undefined ? [program] : [program, first]
}

function fileOf(name: string, folder: string, path: string | undefined): string | undefined {
  const found = name.includes('/') ? resolve(folder, name) : findProgram(name, path)
  try {
    return found === undefined ? undefined : realpathSync(found)
  } catch {
    return undefined
  }
}

async function digestOfFile(file: string | undefined): Promise<string> {
  const stat = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })
  if (file === undefined || stat?.isFile() !== true) return 'missing'
  if (stat.size > bytesMax) return 'too large'
  const key = `${file}\0${stat.ino}\0${stat.size}\0${stat.mtimeMs}\0${stat.ctimeMs}`
  const before = known.get(key)
  if (before !== undefined) return before
  const digest = hashOf(file)
  digest.catch(() => known.delete(key))
  if (known.size >= knownMax) known.clear()
  known.set(key, digest)
  return digest
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  const chunks = createReadStream(file, { highWaterMark: chunkBytes })
  for await (const chunk of chunks) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}
