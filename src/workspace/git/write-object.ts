/**
 * Writes single objects into a repository without a git process, in the form and with the guarantees of git: an
 * object is on disk before its name exists, and one that exists already is not written again but becomes young,
 * so that a garbage collection keeps it.
 *
 * A kill leaves at most a file that `git gc` removes. No part of the path may be a symlink.
 */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, deflate } from 'node:zlib'
import { hasCode } from '../workspace-directory.ts'
import type { WorktreeFiles } from '../worktree/worktree-files.ts'
import { objectHash } from './read-objects.ts'
import type { ObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import { requireNoLink } from './small-file.ts'

type Type = 'blob' | 'commit'

const compress = promisify(deflate)

export async function writeObject(
  files: WorktreeFiles,
  repository: Repository,
  type: Type,
  content: Uint8Array,
): Promise<ObjectId> {
  const id = objectHash(repository, type, content.length).update(content).digest('hex')
  const { folder, path } = placeOf(repository, id)
  await requireNoLink(files, repository.commonDir, path)
  if (await refresh(files, path)) return id
  const header = Buffer.from(`${type} ${content.length}\0`, 'latin1')
  const options = { level: constants.Z_BEST_SPEED }
  const packed = await compress(Buffer.concat([header, content]), options)
  // git removes old files with this name.
  const temporary = join(folder, `tmp_obj_${randomUUID()}`)
  try {
    await writeDurably(files, folder, temporary, packed)
    await files.rename(temporary, path)
  } catch (error) {
    await files.unlink(temporary).catch(() => {})
    throw error
  }
  return id
}

/** False if the repository has it in a pack, or not at all. */
export async function isLoose(
  files: WorktreeFiles,
  repository: Repository,
  id: ObjectId,
): Promise<boolean> {
  const seen = await files.lstat(placeOf(repository, id).path).catch(() => undefined)
  return seen?.isFile() === true
}

function placeOf({ commonDir }: Repository, id: ObjectId): { folder: string; path: string } {
  const folder = join(commonDir, 'objects', id.slice(0, 2))
  return { folder, path: join(folder, id.slice(2)) }
}

/** False if it has to be written. */
async function refresh(files: WorktreeFiles, path: string): Promise<boolean> {
  try {
    const now = new Date()
    await files.utimes(path, now, now)
    return true
  } catch {
    return false
  }
}

async function writeDurably(
  files: WorktreeFiles,
  folder: string,
  path: string,
  content: Uint8Array,
): Promise<void> {
  const open = (): ReturnType<WorktreeFiles['open']> => files.open(path, 'wx', 0o444)
  const handle = await open().catch(async (error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error
    await files.mkdir(folder, { recursive: true })
    return open()
  })
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
