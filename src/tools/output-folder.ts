/**
 * Stores output that is too long to be shown. Callers refer to it as `@output/<n>.txt`: read-only,
 * outside the workspace, and the same after a restart.
 *
 * 1. A file is never overwritten: numbers continue where an earlier process stopped.
 * 2. Files and bytes are limited overall. What does not fit is not stored, and callers are
 *   informed.
 */

import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export const outputPrefix = '@output'

/** A file for output that is too long for an answer. */
export interface OutputFile {
  /** Its path. */
  readonly file: string
  /** The name that callers use. */
  readonly name: string
  /** How much may be written. */
  readonly bytesMax: number
}

/** Keeps the whole output of tools whose answer was cut. */
export interface OutputFolder {
  /** Allocates a name. Undefined if the folder is full or cannot be used. */
  next(): Promise<OutputFile | undefined>
  /** Accounts for a file written under an allocated name. */
  wrote(bytes: number): void
  /** Stores as much of a text as fits. Undefined if it could not be stored. */
  keep(text: string): Promise<{ readonly file: string; readonly bytes: number } | undefined>
  /** Opens a file by the name that callers use. Undefined if there is none. */
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
  let usageLoading: Promise<Usage> | undefined

  const next = async (): Promise<OutputFile | undefined> => {
    usageLoading ??= readUsage(folder)
    const usage = await usageLoading.catch(() => undefined)
    if (usage === undefined) {
      usageLoading = undefined
      return undefined
    }
    const bytesMax = Math.min(fileBytesMax, totalBytesMax - usage.bytes)
    if (bytesMax <= 0 || usage.files >= filesMax) return undefined
    const number = ++usage.last
    return { file: join(folder, `${number}.txt`), name: `${outputPrefix}/${number}.txt`, bytesMax }
  }

  const wrote = (bytes: number): void => {
    void usageLoading?.then((usage) => {
      usage.files++
      usage.bytes += bytes
    })
  }

  return {
    next,
    wrote,
    async keep(text) {
      const target = await next()
      if (target === undefined) return undefined
      // A character is at least one byte, so this copies no more than is written.
      const bytes = Buffer.from(text.slice(0, target.bytesMax)).subarray(0, target.bytesMax)
      try {
        await writeNew(target.file, bytes)
      } catch {
        return undefined
      }
      wrote(bytes.length)
      return { file: target.name, bytes: bytes.length }
    },
    async open(name) {
      const number = parseNumber(name)
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

/** What earlier processes have stored. */
async function readUsage(folder: string): Promise<Usage> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const usage: Usage = { last: 0, files: 0, bytes: 0 }
  for (const name of await readdir(folder)) {
    const number = parseNumber(`${outputPrefix}/${name}`)
    if (number === undefined) continue
    usage.last = Math.max(usage.last, number)
    usage.files++
    const found = await stat(join(folder, name)).catch(() => undefined)
    usage.bytes += found?.size ?? 0
  }
  return usage
}

function parseNumber(name: string): number | undefined {
  const digits = /^@output\/([1-9]\d{0,8})\.txt$/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** All or nothing. */
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
