/**
 * The project's modules, loaded afresh as often as wanted in one process: CommonJS and ES modules, with
 * texts in place of files. What is in `node_modules` or in Node is loaded once, by Node.
 */

import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, extname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import vm from 'node:vm'

export class Unsupported extends Error {}

export interface ProjectModules {
  /** Forgets what was loaded, and takes other texts over the usual ones. */
  reset(changed?: ReadonlyMap<string, string>): void
  load(path: string): Promise<unknown>
  /** As from a file of the project. */
  outside(specifier: string): Promise<Record<string, unknown> | undefined>
}

export interface ModulesOptions {
  readonly root: string
  readonly texts: ReadonlyMap<string, string>
  /** What stands for a module of a test framework. */
  standIn(specifier: string): unknown
}

interface CommonModule {
  exports: unknown
  readonly id: string
  readonly filename: string
  loaded: boolean
  readonly children: readonly []
  readonly paths: readonly []
}

type Namespace = Record<string, unknown>

/** The types of Node have forgotten it. */
type Cacheable = vm.Module & { createCachedData(): Buffer }

const wrapperStart = '(function (exports, require, module, __filename, __dirname) {'
const endings = ['.js', '.ts', '.mjs', '.cjs', '.mts', '.cts', '.json']

export function createProjectModules({ root, texts, standIn }: ModulesOptions): ProjectModules {
  let changed: ReadonlyMap<string, string> = new Map()
  let common = new Map<string, CommonModule>()
  let modules = new Map<string, Promise<vm.Module>>()
  const scripts = new Map<string, { readonly code: string; readonly script: vm.Script }>()
  const compiled = new Map<string, { readonly code: string; readonly data: Buffer }>()
  const outsiders = new Map<string, Promise<vm.Module>>()
  const disk = new Map<string, string>()
  const resolved = new Map<string, string>()
  const kinds = new Map<string, boolean>()

  const isProject = (path: string): boolean =>
    path.startsWith(root + sep) && !path.includes(`${sep}node_modules${sep}`)

  const textOf = (path: string): string => {
    const text = changed.get(path) ?? texts.get(path) ?? disk.get(path)
    if (text !== undefined) return text
    const read = readFileSync(path, 'utf8').replace(/^\uFEFF/, '').replace(/^#!/, '//')
    disk.set(path, read)
    return read
  }

  const exists = (path: string): boolean => {
    if (texts.has(path)) return true
    try {
      textOf(path)
      return true
    } catch {
      return false
    }
  }

  /** As TypeScript and bundlers find files too. */
  function guess(specifier: string, from: string): string | undefined {
    if (!/^\.{0,2}\//.test(specifier) && specifier !== '.' && specifier !== '..') return undefined
    const path = join(dirname(from), specifier)
    const bare = path.replace(/\.([cm]?)js$/, '')
    const tries = [
      path,
      ...endings.map((ending) => path + ending),
      `${bare}.ts`,
      `${bare}.mts`,
      `${bare}.cts`,
      ...endings.map((ending) => join(path, `index${ending}`)),
    ]
    return tries.find((one) => isProject(one) && exists(one))
  }

  function resolve(specifier: string, from: string, wants: 'require' | 'import'): string {
    const key = `${wants} ${from} ${specifier}`
    const known = resolved.get(key)
    if (known !== undefined) return known
    const path = find(specifier, from, wants)
    resolved.set(key, path)
    return path
  }

  function find(specifier: string, from: string, wants: 'require' | 'import'): string {
    const byNode = (): string => createRequire(from).resolve(specifier)
    const byImport = (): string =>
      fileURLToPath(import.meta.resolve(specifier, pathToFileURL(from).href))
    const ways = wants === 'require' ? [byNode] : [byImport, byNode]
    let failure: unknown
    for (const way of [...ways, () => guess(specifier, from)]) {
      try {
        const path = way()
        if (path !== undefined && (way === byNode || way === byImport || exists(path))) {
          if (!isProject(path) || exists(path)) return path
        }
      } catch (error) {
        failure ??= error
      }
    }
    throw failure
  }

  function requireFrom(from: string): NodeJS.Require {
    const inner = createRequire(from)
    const own = (specifier: string): unknown => {
      const instead = standIn(specifier)
      if (instead !== undefined) return instead
      if (isBuiltin(specifier)) return inner(specifier)
      const path = resolve(specifier, from, 'require')
      if (!isProject(path)) return inner(path)
      return loadCommon(path).exports
    }
    return Object.assign(own, {
      resolve: Object.assign((specifier: string) => resolve(specifier, from, 'require'), {
        paths: () => null,
      }),
      cache: {},
      extensions: {},
      main: undefined,
    }) as unknown as NodeJS.Require
  }

  function loadCommon(path: string): CommonModule {
    const known = common.get(path)
    if (known !== undefined) return known
    const module: CommonModule = {
      exports: {},
      id: path,
      filename: path,
      loaded: false,
      children: [],
      paths: [],
    }
    common.set(path, module)
    const kind = extname(path)
    if (kind === '.json') module.exports = JSON.parse(textOf(path))
    else if (kind === '.node') module.exports = createRequire(path)(path)
    else {
      if (isModule(path)) throw new Unsupported(`${path} is an ES module that is required`)
      runCommon(path, module)
    }
    module.loaded = true
    return module
  }

  function runCommon(path: string, module: CommonModule): void {
    const script = scriptOf(path)
    const run = script.runInThisContext() as (...args: unknown[]) => void
    try {
      run.call(module.exports, module.exports, requireFrom(path), module, path, dirname(path))
    } catch (error) {
      common.delete(path)
      throw error
    }
  }

  function scriptOf(path: string): vm.Script {
    const code = textOf(path)
    const known = scripts.get(path)
    if (known?.code === code) return known.script
    const script = new vm.Script(`${wrapperStart}${code}\n})`, {
      filename: path,
      importModuleDynamically: (specifier) => importFrom(specifier, path),
    })
    // What is tried once is not worth keeping.
    if (!changed.has(path)) scripts.set(path, { code, script })
    return script
  }

  function isModule(path: string): boolean {
    const kind = extname(path)
    if (kind === '.mjs' || kind === '.mts') return true
    if (kind === '.cjs' || kind === '.cts' || kind === '.json') return false
    const known = kinds.get(path)
    if (known !== undefined) return known
    const is = saysModule(path) || looksLikeModule(path)
    kinds.set(path, is)
    return is
  }

  function saysModule(path: string): boolean {
    for (let folder = dirname(path); isProject(join(folder, 'x')); folder = dirname(folder)) {
      try {
        const file: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
        return typeof file === 'object' && file !== null && 'type' in file && file.type === 'module'
      } catch {
        // Further up.
      }
    }
    return false
  }

  function looksLikeModule(path: string): boolean {
    const text = texts.get(path) ?? disk.get(path) ?? textOf(path)
    if (!/\b(import|export)\b/.test(text)) return false
    try {
      // oxlint-disable-next-line no-new
      new vm.Script(`${wrapperStart}${text}\n})`, { filename: path })
      return false
    } catch (error) {
      return /import statement|Unexpected token 'export'|import\.meta/.test(String(error))
    }
  }

  async function importFrom(specifier: string, from: string): Promise<vm.Module> {
    const module = await linked(specifier, from)
    if (module.status === 'unlinked') await module.link((one, { identifier }) => linked(one, identifier))
    if (module.status === 'linked') await module.evaluate()
    return module
  }

  async function linked(specifier: string, from: string): Promise<vm.Module> {
    const instead = standIn(specifier)
    if (instead !== undefined) return synthetic(`stand-in:${specifier}`, namespaceOf(instead))
    if (isBuiltin(specifier)) return outsider(specifier, specifier)
    const plain = specifier.startsWith('file:') ? fileURLToPath(specifier) : specifier
    const path = resolve(plain, from, 'import')
    if (!isProject(path)) return outsider(pathToFileURL(path).href, path)
    const known = modules.get(path)
    if (known !== undefined) return known
    const made = isModule(path)
      ? makeModule(path)
      : synthetic(path, namespaceOf(loadCommon(path).exports))
    modules.set(path, made)
    return made
  }

  async function makeModule(path: string): Promise<vm.Module> {
    const code = textOf(path)
    const cached = compiled.get(path)
    const module = new vm.SourceTextModule(code, {
      identifier: path,
      ...(cached?.code === code ? { cachedData: cached.data } : {}),
      initializeImportMeta(meta) {
        Object.assign(meta, {
          url: pathToFileURL(path).href,
          filename: path,
          dirname: dirname(path),
          resolve: (one: string) => pathToFileURL(resolve(one, path, 'import')).href,
        })
      },
      importModuleDynamically: (specifier) => importFrom(specifier, path),
    })
    if (cached?.code !== code && !changed.has(path)) {
      compiled.set(path, { code, data: (module as vm.Module as Cacheable).createCachedData() })
    }
    return module
  }

  function outsider(url: string, name: string): Promise<vm.Module> {
    const known = outsiders.get(url)
    if (known !== undefined) return known
    const made = import(url).then((namespace: Namespace) => synthetic(name, namespace))
    outsiders.set(url, made)
    return made
  }

  return {
    reset(texts = new Map()) {
      changed = texts
      common = new Map()
      modules = new Map()
    },
    async load(path) {
      if (!isModule(path)) return loadCommon(path).exports
      return (await importFrom(path, join(root, 'x.js'))).namespace
    },
    async outside(specifier) {
      try {
        const path = find(specifier, join(root, 'x.js'), 'import')
        return (await import(pathToFileURL(path).href)) as Namespace
      } catch {
        return undefined
      }
    },
  }
}

async function synthetic(name: string, namespace: Namespace): Promise<vm.Module> {
  const names = Object.keys(namespace)
  const module = new vm.SyntheticModule(
    names,
    () => {
      for (const one of names) module.setExport(one, namespace[one])
    },
    { identifier: name },
  )
  return module
}

/** The exports of a CommonJS module, as an ES module sees them. */
function namespaceOf(exports: unknown): Namespace {
  const isObject = (typeof exports === 'object' && exports !== null) || typeof exports === 'function'
  return { ...(isObject ? (exports as Namespace) : {}), default: exports }
}
