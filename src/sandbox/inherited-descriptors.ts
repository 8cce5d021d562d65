/**
 * Files that whoever started this process left open for it and for all its children. Node would hand
 * them on into the sandbox, and an open folder or socket is a way out. They cannot be closed from here,
 * but a child can be given something else in their place.
 */

import { openSync, readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o2000000
let found: readonly number[] | undefined

/** Looked for once: Node itself opens nothing that children inherit. */
export function inheritedDescriptors(): readonly number[] {
  found ??= list('/proc/self/fd').filter((descriptor) => descriptor > 2 && isInherited(descriptor))
  return found
}

/** For `stdio`: nothing where the others are, from this number on. */
export function coverInherited(first: number): readonly (number | 'ignore')[] {
  const others = inheritedDescriptors().filter((descriptor) => descriptor >= first)
  if (others.length === 0) return []
  const nothing = nothingDescriptor()
  return Array.from({ length: Math.max(...others) - first + 1 }, (_, index) =>
    others.includes(first + index) ? nothing : 'ignore',
  )
}

let nothingOpened: number | undefined
/** Reads as nothing. */
export function nothingDescriptor(): number {
  nothingOpened ??= openSync('/dev/null', 'r')
  return nothingOpened
}

function list(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number)
  } catch {
    return []
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8)
    return (flags & closeOnExec) === 0
  } catch {
    return false // it was the folder that we read
  }
}
