// Reads a `.d.ts` file that the compiler wrote: what it declares, imports and exports. TypeScript 7 has no compiler API for
// JavaScript; but its output is regular: a statement begins with its keyword in the first column of a line.

/**
 * - `declarations`: name → its kind and its text without comments
 * - `imports`, `exports`: name → the module that it comes from (none: this one) and its name there
 */
export function readDeclarations(text) {
  const found = { declarations: new Map(), imports: new Map(), exports: new Map() }
  for (const statement of splitStatements(removeComments(text))) readStatement(statement, found)
  return found
}

const listPattern = /^(import|export) (?:type )?\{([^}]*)\}(?: from ['"]([^'"]+)['"])?;?$/
const declarationPattern =
  /^(export )?(?:declare )?(?:abstract )?(interface|type|const|let|function|class) ([\w$]+)/

function readStatement(statement, { declarations, imports, exports }) {
  const list = listPattern.exec(statement)
  if (list !== null) {
    const [, verb, names, from] = list
    for (const [local, name] of parseNames(names)) {
      if (verb === 'import') imports.set(name, { from, local })
      else exports.set(name, { from, local })
    }
    return
  }
  const declared = declarationPattern.exec(statement)
  if (declared === null) {
    if (/^(import\b|export \{\})/.test(statement)) return
    throw new Error(`This statement is not supported: ${statement.slice(0, 100)}`)
  }
  const [, exported, kind, name] = declared
  const text = statement.replace(/^(export )?(declare )?/, '')
  const overloads = declarations.get(name)
  declarations.set(name, {
    kind,
    text: overloads === undefined ? text : `${overloads.text}\n${text}`,
  })
  if (exported !== undefined) exports.set(name, { local: name })
}

/** `a, type B as C` as pairs: the name in the other module, the name in this one. */
const parseNames = (list) =>
  list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
    .map((name) => {
      const [local, renamed = local] = name.split(/\s+as\s+/)
      return [local, renamed]
    })

const startPattern = /^(import|export|declare|abstract|interface|type|const|let|function|class)\b/

function splitStatements(text) {
  const statements = []
  for (const line of text.split('\n').map((each) => each.trimEnd())) {
    if (line === '') continue
    if (startPattern.test(line)) statements.push(line)
    else statements[statements.length - 1] += `\n${line}`
  }
  return statements
}

/** Comments start with a slash that is in no text. */
function removeComments(text) {
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g
  return text.replace(tokens, (token) => (token.startsWith('/') ? '' : token))
}
