/** Resolves a specifier to a file: like Node, then like TypeScript and bundlers. */

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ModuleTexts } from './module-texts.ts'

export type Resolve = (specifier: string, from: string, wants: 'require' | 'import') => string

const endings = ['.js', '.ts', '.mjs', '.cjs', '.mts', '.cts', '.json']

export function createResolve(texts: ModuleTexts): Resolve {
  const known = new Map<string, string>()
  return (specifier, from, wants) => {
    const key = `${wants} ${from} ${specifier}`
    const path = known.get(key) ?? find(texts, specifier, from, wants)
    known.set(key, path)
    return path
  }
}

function find(
  texts: ModuleTexts,
  specifier: string,
  from: string,
  wants: 'require' | 'import',
): string {
  const byRequire = (): string => createRequire(from).resolve(specifier)
  const byImport = (): string =>
    fileURLToPath(import.meta.resolve(specifier, pathToFileURL(from).href))
  const byGuess = (): string | undefined => guess(texts, specifier, from)
  const ways = wants === 'require' ? [byRequire, byGuess] : [byImport, byRequire, byGuess]
  let failure: unknown
  for (const way of ways) {
    try {
      const path = way()
      if (path !== undefined && (!texts.isProject(path) || texts.exists(path))) return path
    } catch (error) {
      failure ??= error
    }
  }
  throw failure ?? new Error(`Cannot find ${specifier} from ${from}.`)
}

function guess(texts: ModuleTexts, specifier: string, from: string): string | undefined {
  if (!/^\.{0,2}\//.test(specifier) && specifier !== '.' && specifier !== '..') return undefined
  const path = join(dirname(from), specifier)
  const bare = path.replace(/\.[cm]?js$/, '')
  const tries = [
    path,
    ...endings.map((ending) => path + ending),
    ...['.ts', '.mts', '.cts'].map((ending) => bare + ending),
    ...endings.map((ending) => join(path, `index${ending}`)),
  ]
  return tries.find((one) => texts.isProject(one) && texts.exists(one))
}
