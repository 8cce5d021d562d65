/**
 * Reads provider keys from the environment or from a file that only its owner can read. They go to
 * the gateway and nowhere else.
 */

import { open } from 'node:fs/promises'
import { LoopError, textOf } from '../loop/index.ts'

/** Where `readKeys` looks for keys. */
export interface KeySources {
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * Lines such as `ANTHROPIC_API_KEY=…`. The file is optional; the environment takes precedence.
   */
  readonly file?: string
}

/** The variables that the providers' clients read, the usual one first. */
const variables: ReadonlyMap<string, readonly string[]> = new Map([
  ['google', ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY']],
])

/** The variables that may hold the key of a provider, the usual one first. */
export const keyVariables = (provider: string): readonly string[] =>
  variables.get(provider) ?? [`${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`]

const fileBytesMax = 64 * 1024

/** Reads the keys of providers from the environment and a key file. */
export async function readKeys(
  sources: KeySources = {},
): Promise<(provider: string) => string | undefined> {
  const { env = process.env, file } = sources
  const fromFile = file === undefined ? {} : await readKeyFile(file)
  return (provider) => {
    const names = keyVariables(provider)
    return [env, fromFile]
      .flatMap((source) => names.map((name) => source[name]?.trim()))
      .find((key) => key !== undefined && key !== '')
  }
}

/** All variables in the file, by name; none if there is no file. */
export const readKeyFile = async (
  file: string,
): Promise<Readonly<Record<string, string | undefined>>> => parse(await readPrivate(file))

/** Checks the open file, so that it cannot be replaced in between. */
async function readPrivate(path: string): Promise<string> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    const message = `Cannot read the keys in ${path}: ${textOf(error)}. Fix the file or remove it.`
    throw new LoopError('not-configured', message, { cause: error })
  })
  if (file === undefined) return ''
  try {
    const found = await file.stat()
    const { mode, size, uid } = found
    const isOurs = process.getuid === undefined || uid === process.getuid()
    if (!isOurs || (mode & 0o077) !== 0) {
      const message = `The key file ${path} is readable or owned by other users. Run: chmod 600 ${path}`
      throw new LoopError('not-configured', message)
    }
    if (!found.isFile() || size > fileBytesMax) {
      const message = `${path} is not a key file. It must contain lines such as ANTHROPIC_API_KEY=…`
      throw new LoopError('not-configured', message)
    }
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

function parse(text: string): Readonly<Record<string, string | undefined>> {
  const pairs = text.split('\n').flatMap((line) => {
    const found = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(['"]?)(.*?)\2\s*$/.exec(line)
    return found === null ? [] : [[found[1] ?? '', found[3] ?? ''] as const]
  })
  return Object.fromEntries(pairs)
}
