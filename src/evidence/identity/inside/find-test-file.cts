/** Finds the file of a Go or Rust test by reading the sources, because the binaries do not reveal it. */

const fs: typeof import('node:fs') = require('node:fs')
const path: typeof import('node:path') = require('node:path')

const sources = new Map<string, string>()

function read(file: string): string {
  const known = sources.get(file)
  if (known !== undefined) return known
  let text = ''
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch {
    // Treated as empty.
  }
  sources.set(file, text)
  return text
}

/** Folders without sources of the project. */
const ignoredFolders = /^(?:\..*|target|node_modules)$/

/** Recursive. */
function filesIn(folder: string, ending: string, depth = 12): readonly string[] {
  if (depth === 0) return []
  try {
    return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const file = path.join(folder, entry.name)
      if (ignoredFolders.test(entry.name)) return []
      if (entry.isDirectory()) return filesIn(file, ending, depth - 1)
      return entry.name.endsWith(ending) ? [file] : []
    })
  } catch {
    return []
  }
}

/** `''`: in none of them. `folder`: the folder of the package. */
function findGoFile(folder: string, name: string): string {
  const declares = new RegExp(`^func\\s+${name}\\s*\\(`, 'm')
  return filesIn(folder, '_test.go', 1).find((file) => declares.test(read(file))) ?? ''
}

/** The sources that a binary was compiled from, as cargo lists them beside it; empty: unknown. */
function readSources(binary: string): readonly string[] {
  return read(`${binary}.d`)
    .split('\n')
    .flatMap((line) => /^(\S[^:]*\.rs):$/.exec(line)?.[1] ?? [])
}

/**
 * Of the files that declare such a function, prefers the usual location of its module. `compiled`: the sources of the
 * binary, relative to the workspace.
 */
function findRustFile(
  folder: string,
  binary: string,
  test: string,
  compiled: readonly string[] = [],
): string {
  const crate = binary.replace(/-[0-9a-f]{16}$/, '')
  const name = test.split('::').at(-1) ?? ''
  const declares = new RegExp(`\\bfn\\s+${name}\\s*[(<]`)
  // `tests/shop.rs` of the package `shop` makes a binary with the same name as its library.
  const isSource = (file: string): boolean =>
    compiled.length === 0 || compiled.some((one) => file === one || file.endsWith(`/${one}`))
  const integration = rustRoots(folder).filter(
    ({ as, file }) => as.replaceAll('-', '_') === crate && isSource(file),
  )
  const own = readTargets(folder).filter(({ kind }) => kind !== 'test')
  const tests = integration.flatMap(({ file }) => [
    file,
    ...(path.basename(file) === 'main.rs' ? filesIn(path.dirname(file), '.rs') : []),
  ])
  const isOwn =
    compiled.length === 0 &&
    packageName(folder) === crate &&
    !tests.some((file) => declares.test(read(file)))
  const candidates =
    integration.length > 0 && !isOwn
      ? tests
      : [
          ...filesIn(path.join(folder, 'src'), '.rs'),
          ...own.flatMap(({ file }) => [file, ...sourcesBeside(folder, path.dirname(file))]),
        ]
  const found = [...new Set(candidates)].filter((file) => declares.test(read(file)))
  const roots = [path.join(folder, 'src'), ...own.map(({ file }) => path.dirname(file))]
  const usual = [
    ...roots.flatMap((root) => modulePaths(root, test.split('::').slice(0, -1))),
    ...own.map(({ file }) => file),
  ]
  return usual.find((file) => found.includes(file)) ?? found[0] ?? integration[0]?.file ?? ''
}

/** The usual locations of a module, innermost first: outer modules may contain it inline. */
function modulePaths(root: string, modules: readonly string[]): readonly string[] {
  const inner = modules.map((_name, index) => {
    const own = modules.slice(0, modules.length - index).join('/')
    return [`${own}.rs`, `${own}/mod.rs`]
  })
  return [...inner.flat(), 'lib.rs', 'main.rs'].map((one) => path.join(root, one))
}

interface Target {
  readonly kind: string
  readonly as: string
  readonly file: string
}

/** Targets for which Cargo.toml names a path: `[lib] path = "lib.rs"`. */
function readTargets(folder: string): readonly Target[] {
  const tables = read(path.join(folder, 'Cargo.toml')).split(/^(?=[ \t]*\[)/m)
  return tables.flatMap((table) => {
    const [, kind] = /^[ \t]*\[{1,2}(lib|bin|test)\]/.exec(table) ?? []
    const [, file] = /^[ \t]*path\s*=\s*["']([^"'\n]+)["']/m.exec(table) ?? []
    const [, name] = /^[ \t]*name\s*=\s*["']([^"'\n]+)["']/m.exec(table) ?? []
    if (kind === undefined || file === undefined) return []
    return [{ kind, as: name ?? path.basename(file, '.rs'), file: path.join(folder, file) }]
  })
}

function packageName(folder: string): string {
  const [, table = ''] = read(path.join(folder, 'Cargo.toml')).split(/^[ \t]*\[package\]/m)
  const [, name = ''] = /^[ \t]*name\s*=\s*["']([^"'\n]+)["']/m.exec(table) ?? []
  return name.replaceAll('-', '_')
}

/** Next to the root of a crate; at the top of a package, without files of other targets. */
function sourcesBeside(folder: string, root: string): readonly string[] {
  const files = filesIn(root, '.rs')
  if (path.resolve(root) !== path.resolve(folder)) return files
  const others = /^(?:tests|benches|examples|src)$/
  return files.filter((file) => !others.test(path.relative(root, file).split(path.sep)[0] ?? ''))
}

function rustRoots(folder: string): readonly Pick<Target, 'as' | 'file'>[] {
  const tests = path.join(folder, 'tests')
  const named = readTargets(folder).filter(({ kind }) => kind === 'test')
  return [...named, ...testsIn(tests)]
}

function testsIn(tests: string): readonly Pick<Target, 'as' | 'file'>[] {
  try {
    return fs.readdirSync(tests, { withFileTypes: true }).flatMap((entry) => {
      if (entry.isDirectory()) {
        const file = path.join(tests, entry.name, 'main.rs')
        return fs.existsSync(file) ? [{ as: entry.name, file }] : []
      }
      const isSource = entry.name.endsWith('.rs')
      return isSource ? [{ as: entry.name.slice(0, -3), file: path.join(tests, entry.name) }] : []
    })
  } catch {
    return []
  }
}

module.exports = { findGoFile, findRustFile, readSources, filesIn }
