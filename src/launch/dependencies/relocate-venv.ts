/**
 * A Python environment that was made for another folder. Its programs name the Python of that folder, and
 * what is installed there as editable leads back to it. Copied elsewhere, programs have to use the Python
 * beside them, and editable packages have to be those of the new folder.
 */

import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'

/** Larger ones are not scripts. */
const scriptBytesMax = 1024 * 1024
const portable = '#!/usr/bin/env python3\n'

export const isVenv = (folder: string): boolean => existsSync(join(folder, 'pyvenv.cfg'))

/** The programs in it start the first `python3` on the PATH, which is the one beside them. */
export function makeProgramsPortable(venv: string): void {
  const programs = join(venv, 'bin')
  if (!existsSync(programs)) return
  for (const name of readdirSync(programs)) {
    const path = join(programs, name)
    const found = lstatSync(path)
    if (!found.isFile() || found.size > scriptBytesMax) continue
    const text = readFileSync(path, 'latin1')
    const changed = portableScript(text)
    if (changed !== undefined) writeFileSync(path, changed, 'latin1')
  }
}

/** Undefined: it is no script of Python. */
export function portableScript(text: string): string | undefined {
  const direct = /^#![^\n]*\/bin\/python[\d.]*\n/.exec(text)
  // Of paths that are too long for a first line, or have spaces.
  const indirect = /^#!\/bin\/sh\n'''exec' [^\n]*\/bin\/python[\d.]*"? "\$0" "\$@"\n' '''\n/.exec(
    text,
  )
  const [head] = direct ?? indirect ?? []
  return head === undefined ? undefined : portable + text.slice(head.length)
}

/** Folders of the checkout that its editable packages are in, relative to it; empty: its top. */
export function editableFolders(venv: string, checkout: string): readonly string[] {
  const found = new Set<string>()
  for (const folder of sitePackages(venv)) {
    for (const name of readdirSync(folder).filter((one) => /\.pth$|_finder\.py$/.test(one))) {
      const text = readFileSync(join(folder, name), 'utf8')
      const paths = name.endsWith('.pth') ? pathLines(text) : mappedFolders(text)
      for (const path of paths) {
        const inner = relative(checkout, path)
        if (!inner.startsWith('..') && !posix.isAbsolute(inner)) found.add(inner)
      }
    }
  }
  return [...found].toSorted()
}

function sitePackages(venv: string): readonly string[] {
  const library = join(venv, 'lib')
  if (!existsSync(library)) return []
  return readdirSync(library)
    .map((name) => join(library, name, 'site-packages'))
    .filter((folder) => existsSync(folder))
}

const pathLines = (text: string): readonly string[] =>
  text.split(/\r?\n/).filter((line) => posix.isAbsolute(line))

/** As setuptools writes them: `MAPPING: dict[str, str] = {'name': '/path/of/name'}`. */
function mappedFolders(text: string): readonly string[] {
  const [, mapping = ''] = /^MAPPING[^=\n]*=\s*\{([^\n]*)\}/m.exec(text) ?? []
  return [...mapping.matchAll(/'[^']+':\s*'(\/[^']+)'/g)].map(([, path = '/']) =>
    posix.dirname(path),
  )
}
