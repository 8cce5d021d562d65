/**
 * Descriptors that this process inherited and that its children would inherit too. Node would pass them into
 * the sandbox, where an open folder or socket is an escape. They cannot be closed from here, but a child can
 * get /dev/null instead.
 */

import { openSync, readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o2000000
let found: readonly number[] | undefined

/** Cached, because Node itself opens nothing that children inherit. */
export function inheritedDescriptors(): readonly number[] {
  found ??= list('/proc/self/fd').filter((descriptor) => descriptor > 2 && isInherited(descriptor))
  return found
}

/** Entries for `stdio` from `first` on that replace inherited descriptors by /dev/null. */
export function coverInherited(first: number): readonly (number | 'ignore')[] {
  const others = inheritedDescriptors().filter((descriptor) => descriptor >= first)
  if (others.length === 0) return []
  const empty = emptyDescriptor()
  return Array.from({ length: Math.max(...others) - first + 1 }, (_, index) =>
    others.includes(first + index) ? empty : 'ignore',
  )
}

let nullDevice: number | undefined
/** A descriptor that reads as empty. */
export function emptyDescriptor(): number {
  nullDevice ??= openSync('/dev/null', 'r')
  return nullDevice
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
    return false // it was the descriptor of the folder being listed
  }
}
