// A wheel with one module, which returns its name.

import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zip } from './zip.ts'

export interface Wheel {
  readonly name: string
  readonly version: string
  readonly code: string
}

/** Puts it into the folder; returns its file name and checksum. */
export function makeWheel(
  folder: string,
  { name, version, code }: Wheel,
): { readonly file: string; readonly sha256: string } {
  const about = `${name}-${version}.dist-info`
  const files = {
    [`${name}.py`]: code,
    [`${about}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${about}/WHEEL`]:
      'Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  }
  const record = [...Object.keys(files), `${about}/RECORD`].map((file) => `${file},,\n`).join('')
  const entries = Object.entries({ ...files, [`${about}/RECORD`]: record })
  const bytes = zip(entries.map(([path, text]) => ({ name: path, content: Buffer.from(text) })))
  const file = `${name}-${version}-py3-none-any.whl`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), bytes)
  return { file, sha256: createHash('sha256').update(bytes).digest('hex') }
}
