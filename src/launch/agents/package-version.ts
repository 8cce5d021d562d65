/** Reads the version of the package that a program belongs to, without running it. */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'

const levelsMax = 8
const manifestBytesMax = 256 * 1024

/** `program` has its links resolved. Only a package with this name counts. */
export function packageVersion(program: string, name: string): string | undefined {
  let folder = dirname(program)
  for (let level = 0; level < levelsMax && folder !== dirname(folder); level++) {
    const manifest = readManifest(join(folder, 'package.json'))
    if (manifest !== undefined && manifest.name === name) return manifest.version
    folder = dirname(folder)
  }
  return undefined
}

interface Manifest {
  readonly name: string
  readonly version: string
}

/** The path may be anything, such as a pipe or a huge file. */
function readManifest(path: string): Manifest | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const { size } = fstatSync(file)
      if (!fstatSync(file).isFile() || size > manifestBytesMax) return undefined
      const bytes = Buffer.alloc(size)
      readSync(file, bytes, 0, size, 0)
      return parseManifest(JSON.parse(bytes.toString('utf8')))
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

const versionForm = /^\d{1,9}\.\d{1,9}\.\d{1,9}[0-9A-Za-z.+-]{0,60}$/

function parseManifest(read: unknown): Manifest | undefined {
  if (typeof read !== 'object' || read === null) return undefined
  const { name, version } = read as Partial<Manifest>
  const isValid =
    typeof name === 'string' && typeof version === 'string' && versionForm.test(version)
  return isValid ? { name, version } : undefined
}
