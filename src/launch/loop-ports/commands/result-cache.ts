/**
 * Results of commands by their content: everything that can make a difference is in the key. It may be deleted at any time.
 * An entry that cannot be read is as good as none.
 */

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'

export interface CachedResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
  /** The file that it wrote. Absent: none. */
  readonly output?: Uint8Array
}

export interface ResultCache {
  get(key: string): Promise<CachedResult | undefined>
  set(key: string, result: CachedResult): Promise<void>
  /** Removes the oldest entries if there are too many. */
  trim(): Promise<void>
}

/** Of the content of an output; larger ones are not kept. */
const outputBytesMax = 1024 * 1024
const bytesMaxDefault = 1024 ** 3

const entrySchema = z.strictObject({
  exitCode: z.int(),
  stdout: z.string(),
  stderr: z.string(),
  durationMs: z.number(),
  output: z.base64().exactOptional(),
})

export function createResultCache(folder: string, bytesMax: number = bytesMaxDefault): ResultCache {
  const fileOf = (key: string): string => join(folder, key.slice(0, 2), `${key.slice(2)}.json`)
  return {
    async get(key) {
      const text = await readFile(fileOf(key), 'utf8').catch(() => undefined)
      return text === undefined ? undefined : parse(text)
    },
    async set(key, { output, ...result }) {
      if (output !== undefined && output.byteLength > outputBytesMax) return
      const entry = {
        ...result,
        ...(output === undefined ? {} : { output: Buffer.from(output).toString('base64') }),
      }
      const file = fileOf(key)
      const temporary = `${file}.${randomUUID()}`
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(temporary, JSON.stringify(entry), { mode: 0o600 })
      await rename(temporary, file)
    },
    trim: () => trim(folder, bytesMax),
  }
}

function parse(text: string): CachedResult | undefined {
  try {
    const { output, ...result } = entrySchema.parse(JSON.parse(text))
    return output === undefined ? result : { ...result, output: Buffer.from(output, 'base64') }
  } catch {
    return undefined
  }
}

async function trim(folder: string, bytesMax: number): Promise<void> {
  const files: { readonly file: string; readonly bytes: number; readonly atMs: number }[] = []
  for (const part of await readdir(folder).catch(() => [])) {
    for (const name of await readdir(join(folder, part)).catch(() => [])) {
      const file = join(folder, part, name)
      const found = await stat(file).catch(() => undefined)
      if (found !== undefined) files.push({ file, bytes: found.size, atMs: found.mtimeMs })
    }
  }
  let bytes = files.reduce((sum, one) => sum + one.bytes, 0)
  if (bytes <= bytesMax) return
  for (const one of files.toSorted((a, b) => a.atMs - b.atMs)) {
    if (bytes <= bytesMax / 2) return
    await rm(one.file, { force: true })
    bytes -= one.bytes
  }
}
