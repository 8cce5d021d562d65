/** The loop files that the user has reviewed and trusted, by the digest of their content. */

import { join } from 'node:path'
import { z } from 'zod'
import { LoopError } from '../../loop/index.ts'
import { guardedEntriesMax, openGuardedList } from '../../system/index.ts'

export interface TrustEntry {
  readonly digest: string
  /** The absolute path of the loop file. */
  readonly file: string
}

export interface TrustedEntry extends TrustEntry {
  readonly atMs: number
}

/** Path and digest must both match, since the same file in another folder runs other programs. */
export interface Trust {
  isTrusted(entry: TrustEntry): Promise<boolean>
  trust(entry: TrustEntry): Promise<void>
  /** Newest first. */
  list(): Promise<readonly TrustedEntry[]>
  /** False if it was not trusted. */
  forget(entry: TrustEntry): Promise<boolean>
  /** If the list cannot be read: why, and what to do. Nothing is trusted then. */
  damage(): Promise<string | undefined>
}

const fileName = 'trust.json'

const digestPattern = /^[0-9a-f]{64}$/

const entrySchema: z.ZodType<TrustedEntry> = z.object({
  digest: z.string().regex(digestPattern),
  file: z.string(),
  atMs: z.number(),
})

export function openTrust(folder: string): Trust {
  const list = openGuardedList({
    path: join(folder, fileName),
    member: 'trusted',
    entry: entrySchema,
    consequence: 'no loop file is trusted until you trust it again',
  })
  return {
    async isTrusted(wanted) {
      const { entries } = await list.read()
      return entries.some((entry) => isSame(entry, wanted))
    },
    async trust({ digest, file }) {
      if (!digestPattern.test(digest)) {
        throw new LoopError(
          'bad-request',
          'Trust needs the digest of the file. Read the loop file first.',
        )
      }
      await list.change((entries) => {
        const others = entries.filter((entry) => !isSame(entry, { digest, file }))
        const next = [{ digest, file, atMs: Date.now() }, ...others].slice(0, guardedEntriesMax)
        return { next, result: undefined }
      })
    },
    async list() {
      return (await list.read()).entries
    },
    forget: (wanted) =>
      list.change((entries) => {
        const next = entries.filter((entry) => !isSame(entry, wanted))
        return next.length === entries.length ? { result: false } : { next, result: true }
      }),
    async damage() {
      return (await list.read()).damage
    },
  }
}

const isSame = (a: TrustEntry, b: TrustEntry): boolean => a.digest === b.digest && a.file === b.file
