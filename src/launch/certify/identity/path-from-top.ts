/** Turns the paths that runners report into paths from the top of the tree. */

import { realpathSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathInside } from '../../../system/index.ts'

/** `''`: it is not in the tree. */
export function pathFromTop(top: string): (file: string) => string {
  const tops = [...new Set([top, realpathSync(top)])]
  return (file) => {
    const whole = wholePath(file)
    if (whole === undefined) return ''
    const inner = tops.map((one) => pathInside(one, whole)).find((one) => one !== undefined)
    return inner === undefined || inner === '.' ? '' : inner
  }
}

/** As runners report it, which follow links. */
export function innerPath(top: string): (file: string) => string {
  const real = realpathSync(top)
  return (file) => join(real, file)
}

function wholePath(file: string): string | undefined {
  try {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    return path.startsWith('/') ? normalize(path) : undefined
  } catch {
    return undefined
  }
}
