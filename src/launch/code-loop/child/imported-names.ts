/** Finds the names that a module imports from a package, in its source text. */

const named = (module: string): RegExp =>
  new RegExp(`\\bimport\\s*\\{([^{}]*)\\}\\s*from\\s*(['"])${module}\\2`, 'g')

/** An import whose path is not one plain string. */
const computed = /\bimport\s*\((?!\s*(['"])[^'"\\]*\1\s*[,)])/

/** Undefined: it may use any export, through a namespace, a re-export or a computed import. */
export function importedNames(source: string, module: string): readonly string[] | undefined {
  const mentions = source.split(`'${module}'`).length + source.split(`"${module}"`).length - 2
  const imports = [...source.matchAll(named(module))]
  if (imports.length !== mentions || computed.test(source)) return undefined
  return imports
    .flatMap(([, list = '']) => list.split(','))
    .map((one) => one.trim().split(/\s+as\s+/)[0] ?? '')
    .filter((name) => name !== '')
}
