/**
 * The project's modules, loaded afresh as often as wanted in one process: CommonJS and ES modules, with
 * texts in place of files. What is in `node_modules` or in Node is loaded once, by Node.
 */

import { createRequire, isBuiltin } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { createModuleTexts, type ModuleTexts, wrapperStart } from './module-texts.ts'
import { createResolve, type Resolve } from './resolve-module.ts'

export class Unsupported extends Error {}

export interface ProjectModules {
  /** Forgets what was loaded, and takes other texts over the usual ones. */
  reset(tried?: ReadonlyMap<string, string>): void
  load(path: string): Promise<unknown>
  /** What is installed, as a file of the project would get it. */
  outside(specifier: string): Promise<Record<string, unknown> | undefined>
}

export interface ModulesOptions {
  readonly root: string
  readonly texts: ReadonlyMap<string, string>
  /** What stands for a module of a test framework. */
  readonly standIn: (specifier: string) => unknown
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

interface Loader {
  readonly texts: ModuleTexts
  readonly resolve: Resolve
  readonly standIn: (specifier: string) => unknown
  /** Of this round. */
  common: Map<string, CommonModule>
  modules: Map<string, Promise<vm.Module>>
  /** Kept from round to round. */
  readonly scripts: Map<string, { readonly code: string; readonly script: vm.Script }>
  readonly compiled: Map<string, { readonly code: string; readonly data: Buffer }>
  readonly outsiders: Map<string, Promise<vm.Module>>
}

export function createProjectModules(options: ModulesOptions): ProjectModules {
  const texts = createModuleTexts(options.root, options.texts)
  const loader: Loader = {
    texts,
    resolve: createResolve(texts),
    standIn: options.standIn,
    common: new Map(),
    modules: new Map(),
    scripts: new Map(),
    compiled: new Map(),
    outsiders: new Map(),
  }
  const anyFile = join(options.root, 'x.js')
  return {
    reset(tried = new Map()) {
      texts.reset(tried)
      loader.common = new Map()
      loader.modules = new Map()
    },
    async load(path) {
      if (!texts.isModule(path)) return loadCommon(loader, path).exports
      return (await importFrom(loader, path, anyFile)).namespace
    },
    async outside(specifier) {
      try {
        const path = loader.resolve(specifier, anyFile, 'import')
        return (await import(pathToFileURL(path).href)) as Namespace
      } catch {
        return undefined
      }
    },
  }
}

function requireFrom(loader: Loader, from: string): NodeJS.Require {
  const inner = createRequire(from)
  const own = (specifier: string): unknown => {
    const instead = loader.standIn(specifier)
    if (instead !== undefined) return instead
    if (isBuiltin(specifier)) return inner(specifier)
    const path = loader.resolve(specifier, from, 'require')
    return loader.texts.isProject(path) ? loadCommon(loader, path).exports : inner(path)
  }
  const resolve = (specifier: string): string => loader.resolve(specifier, from, 'require')
  return Object.assign(own, {
    resolve: Object.assign(resolve, { paths: () => null }),
    cache: {},
    extensions: {},
    main: undefined,
  }) as unknown as NodeJS.Require
}

function loadCommon(loader: Loader, path: string): CommonModule {
  const known = loader.common.get(path)
  if (known !== undefined) return known
  const module: CommonModule = {
    exports: {},
    id: path,
    filename: path,
    loaded: false,
    children: [],
    paths: [],
  }
  loader.common.set(path, module)
  const kind = extname(path)
  if (kind === '.json') module.exports = JSON.parse(loader.texts.textOf(path))
  else if (kind === '.node') module.exports = createRequire(path)(path)
  else if (loader.texts.isModule(path)) {
    throw new Unsupported(`${path} is an ES module that is required`)
  } else runCommon(loader, path, module)
  module.loaded = true
  return module
}

function runCommon(loader: Loader, path: string, module: CommonModule): void {
  const run = scriptOf(loader, path).runInThisContext() as (...args: unknown[]) => void
  try {
    run.call(module.exports, module.exports, requireFrom(loader, path), module, path, dirname(path))
  } catch (error) {
    loader.common.delete(path)
    throw error
  }
}

function scriptOf(loader: Loader, path: string): vm.Script {
  const code = loader.texts.textOf(path)
  const known = loader.scripts.get(path)
  if (known?.code === code) return known.script
  const script = new vm.Script(`${wrapperStart}${code}\n})`, {
    filename: path,
    importModuleDynamically: (specifier) => importFrom(loader, specifier, path),
  })
  if (!loader.texts.isTried(path)) loader.scripts.set(path, { code, script })
  return script
}

async function importFrom(loader: Loader, specifier: string, from: string): Promise<vm.Module> {
  const module = await linked(loader, specifier, from)
  if (module.status === 'unlinked') {
    await module.link((one, { identifier }) => linked(loader, one, identifier))
  }
  if (module.status === 'linked') await module.evaluate()
  return module
}

async function linked(loader: Loader, specifier: string, from: string): Promise<vm.Module> {
  const instead = loader.standIn(specifier)
  if (instead !== undefined) return synthetic(`stand-in:${specifier}`, namespaceOf(instead))
  if (isBuiltin(specifier)) return outsider(loader, specifier, specifier)
  const plain = specifier.startsWith('file:') ? fileURLToPath(specifier) : specifier
  const path = loader.resolve(plain, from, 'import')
  if (!loader.texts.isProject(path)) return outsider(loader, pathToFileURL(path).href, path)
  const known = loader.modules.get(path)
  if (known !== undefined) return known
  const made = loader.texts.isModule(path)
    ? makeModule(loader, path)
    : synthetic(path, namespaceOf(loadCommon(loader, path).exports))
  loader.modules.set(path, made)
  return made
}

async function makeModule(loader: Loader, path: string): Promise<vm.Module> {
  const code = loader.texts.textOf(path)
  const cached = loader.compiled.get(path)
  // Node does not find its way back from code that was kept to what imports for it.
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
  if (cached?.code !== code && !loader.texts.isTried(path)) {
    loader.compiled.set(path, { code, data: (module as Cacheable).createCachedData() })
  }
  return module
}

function outsider(loader: Loader, url: string, name: string): Promise<vm.Module> {
  const known = loader.outsiders.get(url)
  if (known !== undefined) return known
  const made = import(url).then((namespace: Namespace) => synthetic(name, namespace))
  loader.outsiders.set(url, made)
  return made
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
  const isObject =
    (typeof exports === 'object' && exports !== null) || typeof exports === 'function'
  return { ...(isObject ? (exports as Namespace) : {}), default: exports }
}
