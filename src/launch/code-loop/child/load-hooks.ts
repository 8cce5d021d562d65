/**
 * Loads modules in a loop's process: local ones from the trusted text, packages and Node's modules as usual;
 * anything else is refused. Runs in Node's thread for module hooks.
 */

import type { ScannedModule } from '../../../definition/code-loop/scan-code-loop.ts'
import { notTrustedMark } from '../error-codec.ts'
import { isInstalled } from './is-installed.ts'

export interface HookData {
  readonly modules: readonly ScannedModule[]
  /** The URLs of this package for the files of the loop, by specifier. */
  readonly library: Readonly<Record<string, string>>
  /** The same for packages, whose imports are unknown. */
  readonly whole: Readonly<Record<string, string>>
  /** Packages that are loaded from ours if the loop file has none. */
  readonly fallback: Readonly<Record<string, string>>
}

interface Resolved {
  readonly url: string
  readonly shortCircuit?: boolean
}

type Resolve = (specifier: string, context: { readonly parentURL?: string }) => Promise<Resolved>

interface Loaded {
  readonly format: string
  readonly source: string
  readonly shortCircuit: boolean
}

let modules: ReadonlyMap<string, ScannedModule> = new Map()
let { library, whole, fallback }: Omit<HookData, 'modules'> = {
  library: {},
  whole: {},
  fallback: {},
}

export function initialize(data: HookData): void {
  modules = new Map(data.modules.map((module) => [module.url, module]))
  library = data.library
  whole = data.whole
  fallback = data.fallback
}

export async function resolve(
  specifier: string,
  context: { readonly parentURL?: string },
  next: Resolve,
): Promise<Resolved> {
  const parent = modules.get(context.parentURL ?? '')
  const own = parent === undefined ? whole : library
  const ours = Object.hasOwn(own, specifier) ? own[specifier] : undefined
  const known = parent?.imports ?? {}
  const local = Object.hasOwn(known, specifier) ? known[specifier] : undefined
  const url = ours ?? local
  if (url !== undefined) return { url, shortCircuit: true }
  try {
    return await next(specifier, context)
  } catch (error) {
    const fallbackUrl = Object.hasOwn(fallback, specifier) ? fallback[specifier] : undefined
    if (fallbackUrl === undefined) throw error
    return { url: fallbackUrl, shortCircuit: true }
  }
}

export async function load(
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => Promise<Loaded>,
): Promise<Loaded> {
  const known = modules.get(url)
  if (known !== undefined) {
    const { format, source } = known
    return { format, source, shortCircuit: true }
  }
  if (url.startsWith('node:') || isInstalled(url)) return next(url, context)
  throw new Error(
    `${notTrustedMark}${url} is not part of the trusted loop file: its path is computed, or ` +
      'it belongs to another package. Import it with a plain relative path.',
  )
}
