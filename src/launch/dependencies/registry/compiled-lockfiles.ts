/** Reads `Cargo.lock`, and `go.mod`, because `go.sum` contains only digests. */

import { parse } from 'smol-toml'
import { z } from 'zod'
import { collectSources, type LockfileReading } from './lockfile-reading.ts'

const cargo = z.looseObject({
  package: z.array(z.looseObject({ name: z.string(), source: z.string().optional() })).optional(),
})

/** The settings of cargo redirect known registries to the endpoint; those that only the project names are refused. */
export function readCargoLockfile(
  text: string,
  isKnown: (source: string) => boolean,
): LockfileReading {
  const sources = collectSources()
  let parsed: z.infer<typeof cargo>
  try {
    parsed = cargo.parse(parse(text))
  } catch {
    return { ...sources.read(text), problem: 'it is not a Cargo lockfile' }
  }
  for (const { name, source } of parsed.package ?? []) {
    if (source !== undefined && !isKnown(source)) sources.foreign(name, source)
  }
  return sources.read(text)
}

/** Collects local modules: `replace example.com/a => ../b`. */
export function readGoMod(text: string): LockfileReading {
  const sources = collectSources()
  for (const line of text.split(/\r?\n/)) {
    const [code = ''] = line.split('//')
    const [, path] = /=>\s*["`]?(\.{0,2}\/[^\s"`]*)/.exec(code) ?? []
    if (path !== undefined) sources.path(path)
  }
  return sources.read(text)
}
