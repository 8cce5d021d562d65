/** Reads the current files of a folder like a tree, for a run that has not started. */

import { constants, type Dirent } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunBaseFiles, TreeFile } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'

/** More are never needed to detect the languages of a project (E9). */
const filesMax = 50_000
const passedOver: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv'])

const asItIs = 'as it is' as TreeId

/** `depthMax`: how many levels of folders are read; default: all. */
export function folderFiles(
  folder: string,
  depthMax: number = Number.POSITIVE_INFINITY,
): RunBaseFiles {
  let listed: Promise<ReadonlyMap<string, TreeFile>> | undefined
  return {
    tree: asItIs,
    reader: {
      list() {
        listed ??= listFiles(folder, depthMax)
        return listed
      },
      read: (_tree, path, bytesMax = Number.POSITIVE_INFINITY) =>
        readBelow(join(folder, path), bytesMax),
      patch: async () => '',
    },
  }
}

async function listFiles(folder: string, depthMax: number): Promise<ReadonlyMap<string, TreeFile>> {
  const found = new Map<string, TreeFile>()
  const queue = ['']
  for (const inner of queue) {
    const entries = await readdir(join(folder, inner), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (found.size >= filesMax) return found
      const path = `${inner}${entry.name}`
      if (!entry.isDirectory()) found.set(path, { content: path, kind: kindOf(entry) })
      else if (!passedOver.has(entry.name) && path.split('/').length <= depthMax)
        queue.push(`${path}/`)
    }
  }
  return found
}

function kindOf(entry: Dirent): TreeFile['kind'] {
  if (entry.isFile()) return 'file'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

/** A link is not followed. */
async function readBelow(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
  const stat = await lstat(path).catch(() => undefined)
  if (stat?.isFile() !== true || stat.size > bytesMax) return undefined
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}
