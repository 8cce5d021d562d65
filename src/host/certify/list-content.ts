/**
 * What is in folders of ours, as one digest: of all bytes, or of what the file system says of them. The
 * second is the same only as long as nobody touched anything.
 */

import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { RefusedError } from '../../evidence/index.ts'
import { hashFileSync } from '../../workspace/index.ts'

export interface Content {
  readonly digest: string
  readonly files: number
  readonly bytes: number
}

export interface ContentLimits {
  readonly filesMax: number
  readonly bytesMax: number
}

export const contentLimits: ContentLimits = { filesMax: 400_000, bytesMax: 6 * 1024 ** 3 }

const sha256 = { algorithm: 'sha256', prefix: () => '' } as const
const turnLength = 256

/** `by`: times, sizes and rights, or what is in the files. */
export async function listContent(
  root: string,
  folders: readonly string[],
  by: 'times' | 'bytes',
  limits: ContentLimits = contentLimits,
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
    const of =
      by === 'times'
        ? `${seen.ino} ${seen.nlink} ${seen.size} ${seen.mtimeNs} ${seen.ctimeNs}`
        : kind === 'f'
          ? (hashFileSync(Buffer.from(whole), Number(seen.size), sha256) ?? 'unread')
          : kind === 'l'
            ? readlinkSync(whole)
            : ''
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
