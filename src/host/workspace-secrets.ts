/**
 * Secrets that lie about where an agent works: values of files such as `.env`, and of our own environment,
 * by names that say so; and the tokens of the record's daemon. Agents may read and use what they are shown; what they say is kept, and these are
 * not kept with it.
 */

import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from '../agents/index.ts'
import { createSecrets } from '../gateway/index.ts'
import { FaultError, textOf } from '../loop/index.ts'
import { daemonPlace } from './daemon/place.ts'
import type { Environment } from './loaded-loop.ts'
import { type Mask, masked } from './masked.ts'

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

/** An agent whose words are kept without these. What it does with them is its own business. */
export function discreet(agent: Agent, secrets: readonly string[]): Agent {
  if (secrets.length === 0) return agent
  const mask: Mask = createSecrets([], secrets).maskText
  return {
    async work(task, context) {
      const told = {
        ...context,
        note: (note: Parameters<typeof context.note>[0]) => context.note(masked(mask, note)),
      }
      try {
        return masked(mask, await agent.work(task, told))
      } catch (error) {
        if (error instanceof FaultError) throw new FaultError(masked(mask, error.fault))
        const text = textOf(error)
        throw mask(text) === text ? error : new Error(mask(text))
      }
    },
  }
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
