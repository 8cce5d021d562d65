/**
 * The place of output that is too long to be shown. Callers know it as `@output/<n>.txt`: read-only,
 * outside the workspace, and the same after a restart.
 *
 * 1. A file is never written again: numbers go on where an earlier process stopped.
 * 2. Files and bytes are limited in all. What does not fit is not kept, and callers are told.
 */

import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export const outputPrefix = '@output'

/** A file for output that is too long for an answer. */
export interface OutputFile {
  /** Where it is. */
  readonly file: string
  /** What callers know it as. */
  readonly name: string
  /** How much may be written. */
  readonly bytesMax: number
}

/** Keeps the whole output of tools whose answer was cut. */
export interface OutputFolder {
  /** A new name. Undefined when the folder is full or cannot be used. */
  next(): Promise<OutputFile | undefined>
  /** A file was written under a name. */
  wrote(bytes: number): void
  /** Keeps a text, as much of it as fits. Undefined when it could not be kept. */
  keep(text: string): Promise<{ readonly file: string; readonly bytes: number } | undefined>
  /** Opens what a caller knows by its name. Undefined when there is nothing. */
  open(name: string): Promise<FileHandle | undefined>
}

export interface OutputFolderOptions {
  readonly fileBytesMax?: number
  readonly totalBytesMax?: number
  readonly filesMax?: number
}

const mebibyte = 1024 * 1024

export function createOutputFolder(
  folder: string,
  {
    fileBytesMax = 64 * mebibyte,
    totalBytesMax = 1024 * mebibyte,
    filesMax = 10_000,
  }: OutputFolderOptions = {},
): OutputFolder {
  let begun: Promise<Usage> | undefined

  const next = async (): Promise<OutputFile | undefined> => {
    begun ??= usageOf(folder)
    const usage = await begun.catch(() => undefined)
    if (usage === undefined) {
      begun = undefined
      return undefined
    }
    const bytesMax = Math.min(fileBytesMax, totalBytesMax - usage.bytes)
    if (bytesMax <= 0 || usage.files >= filesMax) return undefined
    const number = ++usage.last
    return { file: join(folder, `${number}.txt`), name: `${outputPrefix}/${number}.txt`, bytesMax }
  }

  const wrote = (bytes: number): void => {
    void begun?.then((usage) => {
      usage.files++
      usage.bytes += bytes
    })
  }

  return {
    next,
    wrote,
    async keep(text) {
      const place = await next()
      if (place === undefined) return undefined
      // A character has a byte at least, so this copies no more than is written.
      const bytes = Buffer.from(text.slice(0, place.bytesMax)).subarray(0, place.bytesMax)
      try {
        await writeNew(place.file, bytes)
      } catch {
        return undefined
      }
      wrote(bytes.length)
      return { file: place.name, bytes: bytes.length }
    },
    async open(name) {
      const number = numberIn(name)
      if (number === undefined) return undefined
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
      try {
        return await open(join(folder, `${number}.txt`), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      } catch {
        return undefined
      }
    },
  }
}

interface Usage {
  last: number
  files: number
  bytes: number
}

/** What an earlier process left. */
async function usageOf(folder: string): Promise<Usage> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const usage: Usage = { last: 0, files: 0, bytes: 0 }
  for (const name of await readdir(folder)) {
    const number = numberIn(`${outputPrefix}/${name}`)
    if (number === undefined) continue
    usage.last = Math.max(usage.last, number)
    usage.files++
    const found = await stat(join(folder, name)).catch(() => undefined)
    usage.bytes += found?.size ?? 0
  }
  return usage
}

function numberIn(name: string): number | undefined {
  const digits = /^@output\/([1-9]\d{0,8})\.txt$/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Whole or not at all. */
async function writeNew(file: string, content: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(content)
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
