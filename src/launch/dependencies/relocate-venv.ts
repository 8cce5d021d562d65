/**
 * Adapts a Python virtual environment that was created in another folder. Its programs and its editable
 * packages refer to the old folder; in the copy, programs must use the Python next to them, and editable
 * packages must come from the new folder.
 */

import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'

/** Larger files are not scripts. */
const scriptBytesMax = 1024 * 1024
const portable = '#!/usr/bin/env python3\n'

export const isVenv = (folder: string): boolean => existsSync(join(folder, 'pyvenv.cfg'))

/** Makes its programs start the first `python3` on the PATH, which is the one next to them. */
export function makeProgramsPortable(venv: string): void {
  const programs = join(venv, 'bin')
  if (!existsSync(programs)) return
  for (const name of readdirSync(programs)) {
    const path = join(programs, name)
    const found = lstatSync(path)
    if (!found.isFile() || found.size > scriptBytesMax) continue
    const text = readFileSync(path, 'latin1')
    const changed = toPortableScript(text)
    if (changed !== undefined) writeFileSync(path, changed, 'latin1')
  }
}

/** Undefined: it is not a Python script. */
export function toPortableScript(text: string): string | undefined {
  const direct = /^#![^\n]*\/bin\/python[\d.]*\n/.exec(text)
  // The form that pip writes for paths with spaces or too long for a shebang line.
  const indirect = /^#!\/bin\/sh\n'''exec' [^\n]*\/bin\/python[\d.]*"? "\$0" "\$@"\n' '''\n/.exec(
    text,
  )
  const [head] = direct ?? indirect ?? []
  return head === undefined ? undefined : portable + text.slice(head.length)
}

/** Finds the folders of editable packages, relative to the checkout; empty: its root. */
export function findEditableFolders(venv: string, checkout: string): readonly string[] {
  const found = new Set<string>()
  for (const folder of listSitePackages(venv)) {
    for (const name of readdirSync(folder).filter((one) => /\.pth$|_finder\.py$/.test(one))) {
      const text = readFileSync(join(folder, name), 'utf8')
      const paths = name.endsWith('.pth') ? parsePathLines(text) : parseMappedFolders(text)
      for (const path of paths) {
        const inner = relative(checkout, path)
        if (!inner.startsWith('..') && !posix.isAbsolute(inner)) found.add(inner)
      }
    }
  }
  return [...found].toSorted()
}

function listSitePackages(venv: string): readonly string[] {
  const library = join(venv, 'lib')
  if (!existsSync(library)) return []
  return readdirSync(library)
    .map((name) => join(library, name, 'site-packages'))
    .filter((folder) => existsSync(folder))
}

const parsePathLines = (text: string): readonly string[] =>
  text.split(/\r?\n/).filter((line) => posix.isAbsolute(line))

/** In the format of setuptools: `MAPPING: dict[str, str] = {'name': '/path/of/name'}`. */
function parseMappedFolders(text: string): readonly string[] {
  const [, mapping = ''] = /^MAPPING[^=\n]*=\s*\{([^\n]*)\}/m.exec(text) ?? []
  return [...mapping.matchAll(/'[^']+':\s*'(\/[^']+)'/g)].map(([, path = '/']) =>
    posix.dirname(path),
  )
}
