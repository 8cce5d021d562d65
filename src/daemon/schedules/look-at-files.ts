/**
 * What schedules see of the files and branches that they watch. Nothing is read while time stamps show no change, and git
 * is asked only when a ref may have moved.
 */

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ScheduleTrigger } from '../../protocol/api/index.ts'
import { findRepository, openHistory, type Repository } from '../../workspace/index.ts'

export interface Sights {
  /** Differs if the content does. Undefined: the trigger watches no file, or it cannot be read now. */
  look(id: string, trigger: ScheduleTrigger): Promise<string | undefined>
}

interface Seen {
  readonly stamp: string
  readonly sight: string
}

const absent = 'absent'

export function createSights(): Sights {
  const known = new Map<string, Seen>()
  const repositories = new Map<string, Promise<Repository>>()

  /** Found once: it is not expected to move. */
  function repositoryOf(folder: string): Promise<Repository> {
    const found = repositories.get(folder) ?? findRepository(folder)
    repositories.set(folder, found)
    found.catch(() => repositories.delete(folder))
    return found
  }

  async function stampOf(trigger: Watched): Promise<string> {
    if (trigger.type === 'file') return stampOfFile(trigger.path)
    const { commonDir } = await repositoryOf(trigger.repository)
    const refs = [join('refs', 'heads', trigger.branch), 'packed-refs']
    return (await Promise.all(refs.map((ref) => stampOfFile(join(commonDir, ref))))).join('\n')
  }

  return {
    async look(id, trigger) {
      if (trigger.type !== 'file' && trigger.type !== 'branch') return undefined
      try {
        const stamp = await stampOf(trigger)
        const before = known.get(id)
        if (before?.stamp === stamp) return before.sight
        const sight = await read(trigger)
        // A change while it was read is seen the next time.
        known.set(id, { stamp, sight })
        return sight
      } catch {
        return undefined
      }
    },
  }
}

type Watched = Extract<ScheduleTrigger, { type: 'file' | 'branch' }>

async function stampOfFile(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(orAbsent)
  if (found === undefined) return absent
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

function orAbsent(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
}

async function read(trigger: Watched): Promise<string> {
  if (trigger.type === 'branch') {
    const history = await openHistory(trigger.repository)
    return (await history?.resolve(`refs/heads/${trigger.branch}`)) ?? absent
  }
  return readContent(trigger.path)
}

/** Larger files, such as logs without end, are known by their size and time: reading them would stop all other schedules. */
const contentBytesMax = 64 * 1024 * 1024

async function readContent(path: string): Promise<string> {
  const named = await stat(path).catch(orAbsent)
  if (named?.isFile() !== true) return absent
  // If it becomes a pipe meanwhile, opening it must not wait for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    // A pipe or a device would never end.
    if (!found.isFile()) return absent
    if (found.size > contentBytesMax) return `large ${found.size} ${found.mtimeMs}`
    const hash = createHash('sha256')
    await pipeline(file.createReadStream({ end: contentBytesMax, autoClose: false }), hash)
    return hash.digest('hex')
  } finally {
    await file.close()
  }
}
