/**
 * Replaces the content of a file, completely or not at all. The file is a new one: other names of
 * the old one (hard links), which may be outside the workspace, keep their content.
 */

import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import type { Location } from './workspace-path.ts'

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Returns the state of the new file. */
export async function replaceFile(
  { folder, found }: Location,
  name: string,
  content: Uint8Array,
): Promise<BigIntStats> {
  const temporary = folder.at(`.loopwright-${randomUUID()}.tmp`)
  await folder.verify()
  const handle = await open(temporary, flags, 0o666)
  try {
    await folder.verify()
    // Only permission bits; nothing such as setuid.
    if (found !== undefined) await handle.chmod(Number(found.mode) & 0o777)
    await handle.writeFile(content)
    await rename(temporary, folder.at(name))
    return await handle.stat({ bigint: true })
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
