/** The texts of the project's files: those being tried, those passed in, those on disk. */

import { readFileSync } from 'node:fs'
import { dirname, extname, join, sep } from 'node:path'
import vm from 'node:vm'

export interface ModuleTexts {
  readonly root: string
  /** In the project, and not installed. */
  isProject(path: string): boolean
  exists(path: string): boolean
  readText(path: string): string
  /** An edit of it is being tried, so compiling it is not cached. */
  isBeingTried(path: string): boolean
  isModule(path: string): boolean
  /** Sets the texts to try, which override the usual ones. */
  reset(tried: ReadonlyMap<string, string>): void
}

export const wrapperStart = '(function (exports, require, module, __filename, __dirname) {'

export function createModuleTexts(root: string, given: ReadonlyMap<string, string>): ModuleTexts {
  let tried: ReadonlyMap<string, string> = new Map()
  const disk = new Map<string, string>()
  const kinds = new Map<string, boolean>()
  const usualText = (path: string): string => {
    const known = given.get(path) ?? disk.get(path)
    if (known !== undefined) return known
    const text = readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .replace(/^#!/, '//')
    disk.set(path, text)
    return text
  }
  return {
    root,
    isProject: (path) => path.startsWith(root + sep) && !path.includes(`${sep}node_modules${sep}`),
    exists(path) {
      try {
        usualText(path)
        return true
      } catch {
        return false
      }
    },
    readText: (path) => tried.get(path) ?? usualText(path),
    isBeingTried: (path) => tried.has(path),
    isModule(path) {
      const known = kinds.get(path)
      if (known !== undefined) return known
      const is = isModule(path, root, () => usualText(path))
      kinds.set(path, is)
      return is
    },
    reset(texts) {
      tried = texts
    },
  }
}

function isModule(path: string, root: string, text: () => string): boolean {
  const kind = extname(path)
  if (kind === '.mjs' || kind === '.mts') return true
  if (kind === '.cjs' || kind === '.cts' || kind === '.json') return false
  return isDeclaredModule(path, root) || looksLikeModule(path, text())
}

function isDeclaredModule(path: string, root: string): boolean {
  for (let folder = dirname(path); folder.startsWith(root); folder = dirname(folder)) {
    try {
      const file: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      return typeof file === 'object' && file !== null && 'type' in file && file.type === 'module'
    } catch {
      // Continue in the parent folder.
    }
  }
  return false
}

/** Some tools accept ES modules in files that Node would treat as CommonJS. */
function looksLikeModule(path: string, text: string): boolean {
  if (!/\b(import|export)\b/.test(text)) return false
  try {
    const script = new vm.Script(`${wrapperStart}${text}\n})`, { filename: path })
    return script.cachedDataRejected === true
  } catch (error) {
    return /import statement|Unexpected token 'export'|import\.meta/.test(String(error))
  }
}
