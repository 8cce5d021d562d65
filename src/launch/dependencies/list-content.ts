/**
 * Computes one digest of some folders: of all bytes, or of the metadata of the file system. The second stays
 * the same only as long as nothing is touched.
 */

import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { RefusedError } from '../../evidence/index.ts'
import { hashFileSync } from '../../workspace/index.ts'

export interface ContentDigest {
  readonly digest: string
  readonly files: number
  readonly bytes: number
}

export interface ContentEntry {
  /** The absolute path. */
  readonly path: string
  readonly stat: BigIntStats
  /** Of a file, if its bytes were read. */
  readonly digest: string | undefined
}

export interface ContentLimits {
  readonly filesMax: number
  readonly bytesMax: number
}

export const contentLimits: ContentLimits = { filesMax: 400_000, bytesMax: 6 * 1024 ** 3 }

export const hashFile = (path: string, size: bigint): string | undefined =>
  hashFileSync(Buffer.from(path), Number(size), sha256)

const sha256 = { algorithm: 'sha256', prefix: () => '' } as const
const filesPerTurn = 256

export interface ListOptions {
  readonly limits?: ContentLimits
  readonly onEntry?: (entry: ContentEntry) => void
}

/** `by`: times, sizes and modes, or the content of the files. */
export async function listContent(
  root: string,
  folders: readonly string[],
  by: 'times' | 'bytes',
  { limits = contentLimits, onEntry }: ListOptions = {},
): Promise<ContentDigest> {
  const digest = createHash('sha256')
  let files = 0
  let bytes = 0
  const queue = [...folders].toSorted()
  for (const path of queue) {
    files += 1
    if (files % filesPerTurn === 0) await setImmediate()
    const absolute = join(root, path)
    const stats = lstatSync(absolute, { bigint: true })
    if (stats.isFile()) bytes += Number(stats.size)
    if (files > limits.filesMax || bytes > limits.bytesMax) throw createTooLargeError(limits)
    const mode = (stats.mode & 0o7777n).toString(8)
    const kind = stats.isDirectory()
      ? 'd'
      : stats.isSymbolicLink()
        ? 'l'
        : stats.isFile()
          ? 'f'
          : 'o'
    const read = by === 'bytes' && kind === 'f' ? hashFile(absolute, stats.size) : undefined
    const detail =
      by === 'times'
        ? `${stats.ino} ${stats.nlink} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
        : kind === 'l'
          ? readlinkSync(absolute)
          : (read ?? (kind === 'f' ? 'unread' : ''))
    onEntry?.({ path: absolute, stat: stats, digest: read })
    digest.update(`${kind} ${mode} ${detail}\0${path}\0`)
    if (stats.isDirectory()) {
      queue.push(
        ...readdirSync(absolute)
          .toSorted()
          .map((name) => join(path, name)),
      )
    }
  }
  return { digest: digest.digest('hex'), files, bytes }
}

function createTooLargeError({ filesMax, bytesMax }: ContentLimits): RefusedError {
  const gibibytes = Math.round(bytesMax / 1024 ** 3)
  const message = `The dependencies have more than ${filesMax} files or ${gibibytes} GiB.`
  const advice =
    'If the checks do not need them, set certify: { dependencies: none } in the loop file.'
  return new RefusedError({ code: 'dependencies', message: `${message} ${advice}` })
}
