/** Loads the trusted modules of a loop file, and no other local code. */

import { spawnSync } from 'node:child_process'
import Module, { createRequire, register } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ScannedModule } from '../../../definition/code-loop/scan-code-loop.ts'
import { LoopError, textOf } from '../../../loop/index.ts'
import { notTrustedMark } from '../error-codec.ts'
import { importedNames } from './imported-names.ts'
import { isInstalled } from './is-installed.ts'
import { libraryEntries } from './library-entries.ts'
import type { HookData } from './load-hooks.ts'

/** How many files are checked again to find the line of a syntax error. */
const recheckedMax = 50

/** Returns the default export of the file. */
export async function importLoop(
  file: string,
  modules: readonly ScannedModule[],
): Promise<unknown> {
  const here = import.meta.url
  const whole = libraryEntries()
  const library = { ...whole, loopwright: await chooseLibrary(modules, whole.loopwright, here) }
  // Before the hooks are registered: otherwise every module of ours would pass through their thread.
  for (const [name, url] of Object.entries(library)) {
    if (modules.some(({ source }) => mentions(source, name))) await import(url)
  }
  const data: HookData = {
    modules,
    library,
    whole,
    fallback: { zod: pathToFileURL(createRequire(here).resolve('zod')).href },
  }
  register('./load-hooks.js', here, { data })
  guardRequire()
  try {
    const loaded = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
    if (loaded.default !== undefined) return loaded.default
  } catch (error) {
    throw error instanceof LoopError ? error : createImportError(error, file, modules)
  }
  const message = `${file} has no default export. Write: export default defineLoop({ … })`
  throw new LoopError('bad-loop-file', message)
}

/** Most loops need only the light library, which loads faster. */
async function chooseLibrary(
  modules: readonly ScannedModule[],
  whole: string,
  here: string,
): Promise<string> {
  const light = new URL('./light-library.js', here).href
  const known = new Set(Object.keys(await import(light)))
  const isLight = modules.every(
    ({ source }) => importedNames(source, 'loopwright')?.every((name) => known.has(name)) === true,
  )
  return isLight ? light : whole
}

const mentions = (source: string, module: string): boolean =>
  source.includes(`'${module}'`) || source.includes(`"${module}"`)

/** CommonJS bypasses the hooks, so it must not load local files. */
function guardRequire(): void {
  const { _extensions: extensions } = Module as unknown as {
    readonly _extensions: Record<string, (module: unknown, path: string) => void>
  }
  for (const [ending, load] of Object.entries(extensions)) {
    extensions[ending] = (module, path) => {
      if (isInstalled(pathToFileURL(path).href)) return load(module, path)
      throw new LoopError(
        'not-trusted',
        `${path} cannot be loaded with require. Import it instead.`,
      )
    }
  }
}

function createImportError(
  error: unknown,
  file: string,
  modules: readonly ScannedModule[],
): LoopError {
  const text = textOf(error)
  const at = text.indexOf(notTrustedMark)
  if (at >= 0) return new LoopError('not-trusted', text.slice(at + notTrustedMark.length))
  const isSyntax = error instanceof SyntaxError
  const place =
    findLocation(error, modules) ?? (isSyntax ? findSyntaxError(modules) : undefined) ?? file
  const what = isSyntax ? 'syntax error' : 'it threw while loading'
  const name = error instanceof Error && !isSyntax ? `${error.name}: ` : ''
  const hint = text.includes('does not provide an export named')
    ? ' If it is a type, write: import type { … }.'
    : ' Correct it, then try again.'
  const message = `${place}: ${what}: ${name}${text}${hint}`
  return new LoopError('bad-loop-file', message, { cause: error })
}

/** Returns `path:line` or `path:line:column` of the first stack frame in these modules. */
function findLocation(error: unknown, modules: readonly ScannedModule[]): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  for (const [, url = '', place] of stack.matchAll(
    /(file:\/\/[^\s()]+?)((?::\d+){1,2})(?=[\s)]|$)/g,
  )) {
    if (modules.some((module) => module.url === url))
      return `${decodeURI(new URL(url).pathname)}${place}`
  }
  return undefined
}

/** Node reports the line of a syntax error only with `--check`. */
function findSyntaxError(modules: readonly ScannedModule[]): string | undefined {
  for (const { url, format, source } of modules.slice(0, recheckedMax)) {
    if (format !== 'module') continue
    const { stderr } = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], {
      input: source,
      encoding: 'utf8',
      timeout: 10_000,
    })
    const [, line] = stderr.match(/^\[stdin\]:(\d+)\n/) ?? []
    if (line !== undefined) return `${fileURLToPath(url)}:${line}`
  }
  return undefined
}
