/** Files below a folder that hostile code may have filled: links are not followed, in no part of a path. */

import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultError } from '../../../loop/index.ts'

export function requireInner(path: string): string {
  const parts = path.split('/')
  if (path !== '' && !path.includes('\0') && parts.every((part) => !/^\.{0,2}$/.test(part))) {
    return path
  }
  throw new FaultError({
    code: 'outside-workspace',
    message: `${JSON.stringify(path.slice(0, 200))} is not a path inside the workspace.`,
    retryable: false,
  })
}

/** No part of the path is a link: what it leads to is not part of the workspace. */
export async function requirePlain(root: string, path: string): Promise<void> {
  const found = await lstatInside(root, requireInner(path))
  if (found?.isFile() === true) return
  throw new FaultError({
    code: 'unknown-file',
    message: `${path} is not a regular file of the workspace. Check the path; links are not followed.`,
    retryable: false,
  })
}

async function lstatInside(
  root: string,
  path: string,
): Promise<Awaited<ReturnType<typeof lstat>> | undefined> {
  const parts = path.split('/')
  let found: Awaited<ReturnType<typeof lstat>> | undefined
  for (const [index] of parts.entries()) {
    found = await lstat(join(root, ...parts.slice(0, index + 1))).catch(() => undefined)
    const isLast = index === parts.length - 1
    if (found === undefined || (!isLast && !found.isDirectory())) return undefined
  }
  return found
}

export async function readPlain(root: string, path: string): Promise<Buffer> {
  await requirePlain(root, path)
  const handle = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Undefined: it is not a regular file. All processes of the command are dead, so nothing changes in between. */
export async function readWritten(
  root: string,
  path: string,
  bytesMax: number,
): Promise<Buffer | 'too-large' | undefined> {
  const found = await lstatInside(root, path)
  if (found?.isFile() !== true) return undefined
  if (Number(found.size) > bytesMax) return 'too-large'
  return readPlain(root, path).catch(() => undefined)
}
