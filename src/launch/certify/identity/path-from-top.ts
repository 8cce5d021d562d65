/** Converts the paths that runners report to paths relative to the root of the tree. */

import { realpathSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathInside } from '../../../system/index.ts'

/** Returns `''` for a file outside the tree. */
export function pathFromTop(top: string): (file: string) => string {
  const tops = [...new Set([top, realpathSync(top)])]
  return (file) => {
    const absolute = toAbsolutePath(file)
    if (absolute === undefined) return ''
    const inner = tops.map((one) => pathInside(one, absolute)).find((one) => one !== undefined)
    return inner === undefined || inner === '.' ? '' : inner
  }
}

/** Returns paths as runners report them: with links resolved. */
export function innerPath(top: string): (file: string) => string {
  const real = realpathSync(top)
  return (file) => join(real, file)
}

function toAbsolutePath(file: string): string | undefined {
  try {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    return path.startsWith('/') ? normalize(path) : undefined
  } catch {
    return undefined
  }
}
