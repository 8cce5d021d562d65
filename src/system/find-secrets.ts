/**
 * Finds secrets where an agent works: values of files such as `.env` and of the environment, by names that say
 * so, and the tokens of the daemon. Agents may use what they can read; it is masked in what is kept of their output.
 */

import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { daemonPlace } from './daemon-files.ts'
import type { Environment } from './environment.ts'

const filesMax = 20
const fileBytesMax = 64 * 1024
const valuesMax = 200
/** Shorter ones would take ordinary words out of texts. */
const charsMin = 8

export async function workspaceSecrets(
  folders: readonly (string | undefined)[],
  environment: Environment,
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const [name, value = ''] of Object.entries(environment)) add(found, name, value)
  for (const folder of new Set(folders)) {
    if (folder === undefined) continue
    const names = await readdir(folder).catch((): readonly string[] => [])
    const meant = names.filter((name) => /^\.env(\.|$)/.test(name)).slice(0, filesMax)
    for (const name of meant) {
      for (const [key, value] of parse(await readPlain(join(folder, name)))) add(found, key, value)
    }
  }
  return [...found].slice(0, valuesMax)
}

/** Who may look at what agents say may not do all that a daemon can. */
export async function daemonTokens(record: string): Promise<readonly string[]> {
  const { token, readToken } = daemonPlace(record)
  const texts = await Promise.all([token, readToken].map(readPlain))
  return texts.map((text) => text.trim()).filter((text) => text.length >= charsMin)
}

const secretName = /(^|_)(api_?key|key|token|secret|password|passwd|pwd|credentials?)s?$/i

/** A word or a path is in many texts. */
const isSecret = (value: string): boolean =>
  value.length >= charsMin && !/^[A-Za-z]+$/.test(value) && !/^\.{0,2}\//.test(value)

function add(found: Set<string>, name: string, value: string): void {
  if (secretName.test(name) && isSecret(value)) found.add(value)
  const password = /:\/\/[^/\s:@]*:([^/\s@]+)@/.exec(value)?.[1]
  if (password !== undefined && password.length >= charsMin) {
    found.add(password)
    found.add(decoded(password))
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `NAME=value`, with `export` before it or quotes around it, or not. */
function parse(text: string): readonly (readonly [string, string])[] {
  return text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    return [[name, value.replace(/^(['"])(.*)\1$/, '$2')] as const]
  })
}

/** Empty for all that is not a plain file: nothing is waited for, and no link followed. */
async function readPlain(path: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(path, flags).catch(() => undefined)
  if (handle === undefined) return ''
  try {
    const stat = await handle.stat()
    return stat.isFile() && stat.size <= fileBytesMax ? await handle.readFile('utf8') : ''
  } catch {
    return ''
  } finally {
    await handle.close()
  }
}
