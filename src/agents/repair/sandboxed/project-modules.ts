/**
 * Loads the project's modules afresh as often as needed in one process: CommonJS and ES modules,
 * with texts instead of files. Installed and built-in modules are loaded once, by Node.
 */

import { createRequire, isBuiltin } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { createModuleTexts, type ModuleTexts, wrapperStart } from './module-texts.ts'
import { createResolve, type Resolve } from './resolve-module.ts'

export class Unsupported extends Error {}

export interface ProjectModules {
  /** Unloads everything, and sets the texts to try. */
  reset(tried?: ReadonlyMap<string, string>): void
  load(path: string): Promise<unknown>
  /** An installed module, as a file of the project would get it. */
  loadInstalled(specifier: string): Promise<Record<string, unknown> | undefined>
}

export interface ModulesOptions {
  readonly root: string
  readonly texts: ReadonlyMap<string, string>
  /** The replacement for a module of a test framework. */
  readonly findReplacement: (specifier: string) => unknown
}

interface CommonJsModule {
  exports: unknown
  readonly id: string
  readonly filename: string
  loaded: boolean
  readonly children: readonly []
  readonly paths: readonly []
}

type Namespace = Record<string, unknown>

/** Missing from the types of Node. */
type Cacheable = vm.Module & { createCachedData(): Buffer }

interface Loader {
  readonly texts: ModuleTexts
  readonly resolve: Resolve
  readonly findReplacement: (specifier: string) => unknown
  /** Cleared by each reset. */
  common: Map<string, CommonJsModule>
  modules: Map<string, Promise<vm.Module>>
  /** Kept across resets. */
  readonly scripts: Map<string, { readonly code: string; readonly script: vm.Script }>
  readonly compiled: Map<string, { readonly code: string; readonly data: Buffer }>
  readonly outsideModules: Map<string, Promise<vm.Module>>
}

export function createProjectModules(options: ModulesOptions): ProjectModules {
  const texts = createModuleTexts(options.root, options.texts)
  const loader: Loader = {
    texts,
    resolve: createResolve(texts),
    findReplacement: options.findReplacement,
    common: new Map(),
    modules: new Map(),
    scripts: new Map(),
    compiled: new Map(),
    outsideModules: new Map(),
  }
  const anyFile = join(options.root, 'x.js')
  return {
    reset(tried = new Map()) {
      texts.reset(tried)
      loader.common = new Map()
      loader.modules = new Map()
    },
    async load(path) {
      if (!texts.isModule(path)) return loadCommonJs(loader, path).exports
      return (await importFrom(loader, path, anyFile)).namespace
    },
    async loadInstalled(specifier) {
      try {
        const path = loader.resolve(specifier, anyFile, 'import')
        return (await import(pathToFileURL(path).href)) as Namespace
      } catch {
        return undefined
      }
    },
  }
}

function createProjectRequire(loader: Loader, from: string): NodeJS.Require {
  const inner = createRequire(from)
  const own = (specifier: string): unknown => {
    const replacement = loader.findReplacement(specifier)
    if (replacement !== undefined) return replacement
    if (isBuiltin(specifier)) return inner(specifier)
    const path = loader.resolve(specifier, from, 'require')
    return loader.texts.isProject(path) ? loadCommonJs(loader, path).exports : inner(path)
  }
  const resolve = (specifier: string): string => loader.resolve(specifier, from, 'require')
  return Object.assign(own, {
    resolve: Object.assign(resolve, { paths: () => null }),
    cache: {},
    extensions: {},
    main: undefined,
  }) as unknown as NodeJS.Require
}

function loadCommonJs(loader: Loader, path: string): CommonJsModule {
  const known = loader.common.get(path)
  if (known !== undefined) return known
  const module: CommonJsModule = {
    exports: {},
    id: path,
    filename: path,
    loaded: false,
    children: [],
    paths: [],
  }
  loader.common.set(path, module)
  const kind = extname(path)
  if (kind === '.json') module.exports = JSON.parse(loader.texts.readText(path))
  else if (kind === '.node') module.exports = createRequire(path)(path)
  else if (loader.texts.isModule(path)) {
    throw new Unsupported(`${path} is an ES module that is required`)
  } else runCommonJs(loader, path, module)
  module.loaded = true
  return module
}

function runCommonJs(loader: Loader, path: string, module: CommonJsModule): void {
  const run = compileScript(loader, path).runInThisContext() as (...args: unknown[]) => void
  try {
    run.call(
      module.exports,
      module.exports,
      createProjectRequire(loader, path),
      module,
      path,
      dirname(path),
    )
  } catch (error) {
    loader.common.delete(path)
    throw error
  }
}

function compileScript(loader: Loader, path: string): vm.Script {
  const code = loader.texts.readText(path)
  const known = loader.scripts.get(path)
  if (known?.code === code) return known.script
  const script = new vm.Script(`${wrapperStart}${code}\n})`, {
    filename: path,
    importModuleDynamically: (specifier) => importFrom(loader, specifier, path),
  })
  if (!loader.texts.isBeingTried(path)) loader.scripts.set(path, { code, script })
  return script
}

async function importFrom(loader: Loader, specifier: string, from: string): Promise<vm.Module> {
  const module = await linkModule(loader, specifier, from)
  if (module.status === 'unlinked') {
    await module.link((one, { identifier }) => linkModule(loader, one, identifier))
  }
  if (module.status === 'linked') await module.evaluate()
  return module
}

async function linkModule(loader: Loader, specifier: string, from: string): Promise<vm.Module> {
  const replacement = loader.findReplacement(specifier)
  if (replacement !== undefined)
    return createSynthetic(`stand-in:${specifier}`, toNamespace(replacement))
  if (isBuiltin(specifier)) return loadOutside(loader, specifier, specifier)
  const plain = specifier.startsWith('file:') ? fileURLToPath(specifier) : specifier
  const path = loader.resolve(plain, from, 'import')
  if (!loader.texts.isProject(path)) return loadOutside(loader, pathToFileURL(path).href, path)
  const known = loader.modules.get(path)
  if (known !== undefined) return known
  const made = loader.texts.isModule(path)
    ? makeModule(loader, path)
    : createSynthetic(path, toNamespace(loadCommonJs(loader, path).exports))
  loader.modules.set(path, made)
  return made
}

async function makeModule(loader: Loader, path: string): Promise<vm.Module> {
  const code = loader.texts.readText(path)
  const cached = loader.compiled.get(path)
  // Node cannot resolve dynamic imports from cached code.
  const isCached = cached?.code === code && !/\bimport\b[^'"\n]*\(/.test(code)
  const module: vm.Module = new vm.SourceTextModule(code, {
    identifier: path,
    ...(isCached ? { cachedData: cached.data } : {}),
    initializeImportMeta(meta) {
      Object.assign(meta, {
        url: pathToFileURL(path).href,
        filename: path,
        dirname: dirname(path),
        resolve: (one: string) => pathToFileURL(loader.resolve(one, path, 'import')).href,
      })
    },
    importModuleDynamically: (specifier) => importFrom(loader, specifier, path),
  })
  if (cached?.code !== code && !loader.texts.isBeingTried(path)) {
    loader.compiled.set(path, { code, data: (module as Cacheable).createCachedData() })
  }
  return module
}

function loadOutside(loader: Loader, url: string, name: string): Promise<vm.Module> {
  const known = loader.outsideModules.get(url)
  if (known !== undefined) return known
  const made = import(url).then((namespace: Namespace) => createSynthetic(name, namespace))
  loader.outsideModules.set(url, made)
  return made
}

async function createSynthetic(name: string, namespace: Namespace): Promise<vm.Module> {
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
function toNamespace(exports: unknown): Namespace {
  const isObject =
    (typeof exports === 'object' && exports !== null) || typeof exports === 'function'
  return { ...(isObject ? (exports as Namespace) : {}), default: exports }
}
