/**
 * What is in folders of ours, as one digest: of all bytes, or of what the file system says of them. The
 * second is the same only as long as nobody touched anything.
 */

import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { RefusedError } from '../../evidence/index.ts'
import { hashFileSync } from '../../workspace/index.ts'

export interface Content {
  readonly digest: string
  readonly files: number
  readonly bytes: number
}

export interface ContentEntry {
  /** The full path. */
  readonly path: string
  readonly stat: BigIntStats
  /** Of a file whose bytes were read. */
  readonly digest: string | undefined
}

export interface ContentLimits {
  readonly filesMax: number
  readonly bytesMax: number
}

export const contentLimits: ContentLimits = { filesMax: 400_000, bytesMax: 6 * 1024 ** 3 }

export const sha256Of = (path: string, size: bigint): string | undefined =>
  hashFileSync(Buffer.from(path), Number(size), sha256)

const sha256 = { algorithm: 'sha256', prefix: () => '' } as const
const turnLength = 256

export interface ListOptions {
  readonly limits?: ContentLimits
  readonly onEntry?: (entry: ContentEntry) => void
}

/** `by`: times, sizes and rights, or what is in the files. */
export async function listContent(
  root: string,
  folders: readonly string[],
  by: 'times' | 'bytes',
  { limits = contentLimits, onEntry }: ListOptions = {},
): Promise<Content> {
  const digest = createHash('sha256')
  let files = 0
  let bytes = 0
  const queue = [...folders].toSorted()
  for (const path of queue) {
    files += 1
    if (files % turnLength === 0) await setImmediate()
    const whole = join(root, path)
    const seen = lstatSync(whole, { bigint: true })
    if (seen.isFile()) bytes += Number(seen.size)
    if (files > limits.filesMax || bytes > limits.bytesMax) throw tooMuch(limits)
    const mode = (seen.mode & 0o7777n).toString(8)
    const kind = seen.isDirectory() ? 'd' : seen.isSymbolicLink() ? 'l' : seen.isFile() ? 'f' : 'o'
    const read = by === 'bytes' && kind === 'f' ? sha256Of(whole, seen.size) : undefined
    const of =
      by === 'times'
        ? `${seen.ino} ${seen.nlink} ${seen.size} ${seen.mtimeNs} ${seen.ctimeNs}`
        : kind === 'l'
          ? readlinkSync(whole)
          : (read ?? (kind === 'f' ? 'unread' : ''))
    onEntry?.({ path: whole, stat: seen, digest: read })
    digest.update(`${kind} ${mode} ${of}\0${path}\0`)
    if (seen.isDirectory()) {
      queue.push(
        ...readdirSync(whole)
          .toSorted()
          .map((name) => join(path, name)),
      )
    }
  }
  return { digest: digest.digest('hex'), files, bytes }
}

function tooMuch({ filesMax, bytesMax }: ContentLimits): RefusedError {
  const gibibytes = Math.round(bytesMax / 1024 ** 3)
  const message = `The dependencies are more than ${filesMax} files or ${gibibytes} GiB.`
  const advice = 'Do without them, where the checks can: certify: { dependencies: none }.'
  return new RefusedError({ code: 'dependencies', message: `${message} ${advice}` })
}
