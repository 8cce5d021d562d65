/**
 * Finds the modules of a loop file in TypeScript without running them. The user trusts the digest, which covers the
 * file and every local file that it imports. Only the text that was read here is run later.
 *
 * Packages (`zod`, `node:fs`) are listed but not covered: the owner installed them. An import with a computed path is
 * not found here, so it is refused at run time.
 */

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, extname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { LoopError, textOf } from '../../loop/index.ts'
import { digestFiles, sha256 } from '../../system/index.ts'
import { stripTypes } from './strip-types.ts'

export interface ScannedModule {
  /** Relative to the folder of the loop file. */
  readonly path: string
  readonly url: string
  readonly sha256: string
  readonly format: 'module' | 'json'
  /** The code to run: without types. */
  readonly source: string
  /** The URL of the file of each local import, by its specifier. */
  readonly imports: Readonly<Record<string, string>>
}

export interface ScannedLoop {
  readonly file: string
  /** sha256 over the sorted list of path and sha256 of each module. */
  readonly digest: string
  readonly modules: readonly ScannedModule[]
  /** Imported packages, which the digest does not cover. */
  readonly packages: readonly string[]
}

/** File name extensions of loops in code. */
export const codeLoopEndings: readonly string[] = ['.ts', '.mts', '.js', '.mjs']

const modulesMax = 1000
const bytesMax = 16 * 1024 * 1024

export async function scanCodeLoop(path: string): Promise<ScannedLoop> {
  const { init, parse } = await import('es-module-lexer')
  await init()
  const entry = realFile(resolve(path), path)
  const root = dirname(entry)
  const found = new Map<string, Found>()
  const packages = new Set<string>()
  const queue = [entry]
  let bytes = 0
  for (const file of queue) {
    if (found.has(file)) continue
    bytes += statSync(file).size
    if (found.size >= modulesMax || bytes > bytesMax) throw tooMuch(path)
    const content = readFileSync(file)
    const module = scanModule(file, content, root, parse)
    found.set(file, module)
    for (const name of module.packages) packages.add(name)
    queue.push(...Object.values(module.imports).map((url) => fileURLToPath(url)))
  }
  const modules = [...found.values()]
    .map(({ packages: _packages, ...module }) => module)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  return {
    file: entry,
    digest: digestFiles(modules),
    modules,
    packages: [...packages].toSorted(),
  }
}

interface Found extends ScannedModule {
  readonly packages: readonly string[]
}

type Parse = typeof import('es-module-lexer').parse

function scanModule(file: string, content: Buffer, root: string, parse: Parse): Found {
  const text = content.toString('utf8')
  const known = {
    path: relative(root, file),
    url: pathToFileURL(file).href,
    sha256: sha256(content),
  }
  const ending = extname(file)
  if (ending === '.json') {
    return { ...known, format: 'json', source: text, imports: {}, packages: [] }
  }
  if (!codeLoopEndings.includes(ending)) {
    const message = `${file} cannot be imported: its name must end in ${codeLoopEndings.join(', ')} or .json.`
    throw new LoopError('bad-loop-file', message)
  }
  const source = ending.endsWith('ts') ? stripTypes(text, file) : text
  const imports: Record<string, string> = {}
  const packages: string[] = []
  for (const { specifier, start } of importsOf(source, file, parse)) {
    if (isLocal(specifier)) imports[specifier] = resolveLocal(specifier, file, source, start)
    else packages.push(requirePackage(specifier, file, source, start))
  }
  return { ...known, format: 'module', source, imports, packages }
}

function importsOf(
  source: string,
  file: string,
  parse: Parse,
): readonly { readonly specifier: string; readonly start: number }[] {
  try {
    return parse(source, file)[0].flatMap((one) => {
      if (one.type === 'import-meta' || one.specifier === undefined) return []
      // A computed path is known only at run time.
      if (one.type === 'dynamic' && one.glob) return []
      return [{ specifier: one.specifier, start: one.start }]
    })
  } catch (error) {
    const at = (error as { idx?: unknown }).idx
    const place = typeof at === 'number' ? placeOf(source, at) : ''
    const message = `${file}${place}: this is not a JavaScript module: ${firstLine(textOf(error))}. Correct it.`
    throw new LoopError('bad-loop-file', message)
  }
}

const isLocal = (specifier: string): boolean =>
  /^\.{0,2}\//.test(specifier) || specifier.startsWith('file:') || /^\.{1,2}$/.test(specifier)

/** Resolves like Node, and also `./x.js` to `./x.ts`, like TypeScript. */
function resolveLocal(specifier: string, from: string, source: string, start: number): string {
  const url = new URL(specifier, pathToFileURL(from))
  url.search = ''
  url.hash = ''
  const path = fileURLToPath(url)
  const candidates = [path, path.replace(/\.(m?)js$/, '.$1ts')]
  const isFile = (one: string): boolean =>
    statSync(one, { throwIfNoEntry: false })?.isFile() === true
  const found = candidates.find(isFile)
  if (found !== undefined) return pathToFileURL(realpathSync(found)).href
  const nearest = codeLoopEndings.find((ending) => isFile(`${path}${ending}`))
  const hint =
    nearest === undefined
      ? 'the file does not exist. Correct the path'
      : `add its extension, ${nearest}`
  const place = `${from}${placeOf(source, start)}`
  throw new LoopError('bad-loop-file', `${place}: cannot import "${specifier}": ${hint}.`)
}

function requirePackage(name: string, from: string, source: string, start: number): string {
  const isPackage = name.startsWith('node:') || /^(@[\w.-]+\/)?[\w.-]+(\/|$)/.test(name)
  if (isPackage && !/^(data|https?|blob):/.test(name)) return name
  const message = `cannot import "${name}": use a relative path, or the name of a package.`
  throw new LoopError('bad-loop-file', `${from}${placeOf(source, start)}: ${message}`)
}

function placeOf(source: string, index: number): string {
  const before = source.slice(0, index).split('\n')
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

function realFile(path: string, asked: string): string {
  if (!codeLoopEndings.includes(extname(path))) {
    const message = `${asked} is not a loop in code: its name must end in ${codeLoopEndings.join(', ')}.`
    throw new LoopError('bad-loop-file', message)
  }
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return realpathSync(path)
  throw new LoopError(
    'bad-loop-file',
    `The file ${asked} does not exist. Pass the path of a loop file.`,
  )
}

const tooMuch = (path: string): LoopError =>
  new LoopError(
    'bad-loop-file',
    `${path} imports more than ${modulesMax} files, or more than ${bytesMax / 2 ** 20} MiB of ` +
      'code. Move shared code into a package.',
  )
