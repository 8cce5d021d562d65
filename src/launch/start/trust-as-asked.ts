/** A request can trust a loop file, by the digest of what its sender saw. */

import { LoopError } from '../../loop/index.ts'
import { previewLoop, trustLoop } from '../load-loop.ts'

/** Rejects with `not-trusted` if the file changed since. */
export async function trustAsAsked(
  folder: string,
  file: string,
  digest: string | undefined,
): Promise<void> {
  if (digest === undefined) return
  const preview = await previewLoop(file, folder)
  if (preview.digest !== digest) {
    const message = `${file} has changed since it was reviewed.`
    throw new LoopError('not-trusted', `${message} Review it again, then trust it as it is now.`)
  }
  if (!preview.trusted) await trustLoop(preview, folder)
}
