/** `Cargo.lock`, and `go.mod`, which says what `go.sum` does not. */

import { parse } from 'smol-toml'
import { z } from 'zod'
import { collectSources, type LockfileReading } from './lockfile-reading.ts'

const cargo = z.looseObject({
  package: z.array(z.looseObject({ name: z.string(), source: z.string().optional() })).optional(),
})

/** Registries are replaced by ours in the settings of cargo; those of the project alone are not known. */
export function readCargoLockfile(
  text: string,
  isKnown: (source: string) => boolean,
): LockfileReading {
  const sources = collectSources()
  let parsed: z.infer<typeof cargo>
  try {
    parsed = cargo.parse(parse(text))
  } catch {
    return { ...sources.read(text), problem: 'it is not a lockfile of Cargo' }
  }
  for (const { name, source } of parsed.package ?? []) {
    if (source !== undefined && !isKnown(source)) sources.foreign(name, source)
  }
  return sources.read(text)
}

/** `replace example.com/a => ../b`: the module is taken from a folder. */
export function readGoMod(text: string): LockfileReading {
  const sources = collectSources()
  for (const line of text.split(/\r?\n/)) {
    const [code = ''] = line.split('//')
    const [, path] = /=>\s*["`]?(\.{0,2}\/[^\s"`]*)/.exec(code) ?? []
    if (path !== undefined) sources.path(path)
  }
  return sources.read(text)
}
