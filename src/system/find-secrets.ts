/**
 * Finds secrets in a workspace: values in files such as `.env` and in the environment whose names suggest a secret,
 * and the tokens of the daemon. Agents may use what they can read; secrets are masked in their stored output.
 */

import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { getDaemonFiles } from './daemon-files.ts'
import type { Environment } from './environment.ts'

const filesMax = 20
const fileBytesMax = 64 * 1024
const valuesMax = 200
/** Shorter values would mask ordinary words. */
const charsMin = 8

export async function findWorkspaceSecrets(
  folders: readonly (string | undefined)[],
  environment: Environment,
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const [name, value = ''] of Object.entries(environment)) add(found, name, value)
  for (const folder of new Set(folders)) {
    if (folder === undefined) continue
    const names = await readdir(folder).catch((): readonly string[] => [])
    const envFiles = names.filter((name) => /^\.env(\.|$)/.test(name)).slice(0, filesMax)
    for (const name of envFiles) {
      for (const [key, value] of parse(await readPlain(join(folder, name)))) add(found, key, value)
    }
  }
  return [...found].slice(0, valuesMax)
}

/** Masked too, because reading an agent's output must not grant access to the daemon. */
export async function readDaemonTokens(stateFolder: string): Promise<readonly string[]> {
  const { token, readToken } = getDaemonFiles(stateFolder)
  const texts = await Promise.all([token, readToken].map(readPlain))
  return texts.map((text) => text.trim()).filter((text) => text.length >= charsMin)
}

const secretName = /(^|_)(api_?key|key|token|secret|password|passwd|pwd|credentials?)s?$/i

/** Not a word or a path, which occur in many texts. */
const isSecret = (value: string): boolean =>
  value.length >= charsMin && !/^[A-Za-z]+$/.test(value) && !/^\.{0,2}\//.test(value)

function add(found: Set<string>, name: string, value: string): void {
  if (secretName.test(name) && isSecret(value)) found.add(value)
  const password = /:\/\/[^/\s:@]*:([^/\s@]+)@/.exec(value)?.[1]
  if (password !== undefined && password.length >= charsMin) {
    found.add(password)
    found.add(tryDecode(password))
  }
}

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Lines of the form `NAME=value`, optionally with `export` or quotes. */
function parse(text: string): readonly (readonly [string, string])[] {
  return text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    return [[name, value.replace(/^(['"])(.*)\1$/, '$2')] as const]
  })
}

/** Empty for anything that is not a regular file. Never blocks and follows no symlink. */
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
