// `node scripts/public-api.mjs`: writes docs/public-api.md, every name that the package exports with its declaration, from
// the built `.d.ts` files; so build first. `--check` writes nothing and fails with what is wrong: the report differs from
// the build, the main entry has too many names, a name has no doc comment, or an entry leads nowhere. `--root <folder>`
// is for another package, which the tests use.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root as ownRoot, runScript } from './child.mjs'
import { readDeclarations } from './declarations.mjs'

const mainNamesMax = 120
const command = 'npm run build && node scripts/public-api.mjs'
const report = 'docs/public-api.md'

const { values } = parseArgs({
  options: { check: { type: 'boolean' }, root: { type: 'string', default: ownRoot } },
})

await runScript(() => {
  const entries = readEntries(values.root)
  const text = render(entries)
  const path = join(values.root, report)
  if (values.check !== true) {
    writeFileSync(path, text)
    return 0
  }
  const recorded = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const problems = [...findProblems(entries), ...compare(recorded, text)]
  if (problems.length > 0) console.error(problems.join('\n'))
  return problems.length > 0 ? 1 : 0
})

/** The code entries of package.json, each with its names, sorted. */
function readEntries(root) {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const modules = new Map()
  return Object.entries(exports).map(([path, target]) => {
    const entry = `${name}${path.slice(1)}`
    const targets = typeof target === 'string' ? [target] : Object.values(target)
    const missing = targets.filter((file) => !existsSync(join(root, file.replace(/\*.*$/, ''))))
    if (missing.length > 0 || target.types === undefined) return { entry, missing, names: [] }
    return { entry, missing, names: readNames(root, join(root, target.types), modules) }
  })
}

function readNames(root, file, modules) {
  const load = (path) => {
    if (!modules.has(path)) modules.set(path, readDeclarations(readFileSync(path, 'utf8')))
    return modules.get(path)
  }
  const names = [...load(file).exports.keys()].toSorted((a, b) => (a < b ? -1 : 1))
  return names.map((name) => {
    const found = find(load, file, load(file).exports.get(name))
    const isDocumented = hasDocComment(root, found.file, found.local)
    return {
      name,
      ...found,
      at: relative(root, found.file),
      isDocumented,
      bases: basesOf(load, found),
    }
  })
}

/** Follows imports and re-exports to the file that declares the name. */
function find(load, file, { from, local }) {
  if (from === undefined) {
    const { declarations, imports } = load(file)
    const declared = declarations.get(local)
    if (declared !== undefined) return { file, local, ...declared }
    const imported = imports.get(local)
    if (imported === undefined) throw new Error(`${file} exports ${local} and does not declare it`)
    return find(load, file, imported)
  }
  if (!from.startsWith('.')) {
    return { file: from, local, kind: 'external', text: `import { ${local} } from '${from}'` }
  }
  const next = resolve(dirname(file), from.replace(/\.ts$/, '.d.ts'))
  const exported = load(next).exports.get(local)
  if (exported === undefined) throw new Error(`${file}: ${from} does not export ${local}`)
  return find(load, next, exported)
}

/** The interfaces that an interface extends, since their members are part of it. */
function basesOf(load, { file, kind, text }) {
  const heritage =
    kind === 'interface' ? /^interface [^{]*? extends ([^{]+)\{/.exec(text)?.[1] : undefined
  if (heritage === undefined) return []
  const known = load(file)
  return [...heritage.matchAll(/\b[A-Z]\w*/g)].flatMap(([name]) => {
    if (!known.declarations.has(name) && !known.imports.has(name)) return []
    const base = find(load, file, { local: name })
    return base.kind === 'interface' ? [base, ...basesOf(load, base)] : []
  })
}

/** Read from the source: a build can move the header comment of a file to its first declaration. */
function hasDocComment(root, file, name) {
  const path = relative(root, file)
    .replace(/^dist\//, 'src/')
    .replace(/\.d\.ts$/, '.ts')
  if (!existsSync(join(root, path))) return true
  const pattern = new RegExp(
    `\\*/\\n(?:export )?(?:declare )?(?:abstract )?(?:async )?(?:interface|type|const|function\\*?|class) ${name}\\b`,
  )
  return pattern.test(readFileSync(join(root, path), 'utf8'))
}

function findProblems(entries) {
  const [main] = entries
  return [
    ...entries.flatMap(({ entry, missing }) =>
      missing.map((file) => `${entry}: package.json names ${file}, which does not exist.`),
    ),
    ...(main.names.length > mainNamesMax
      ? [`${main.entry} exports ${main.names.length} names; the limit is ${mainNamesMax}.`]
      : []),
    ...entries.flatMap(({ entry, names }) =>
      names
        .filter(({ isDocumented }) => !isDocumented)
        .map(({ name, at }) => `${entry}: ${name} has no doc comment (${at}).`),
    ),
  ]
}

/** Nothing, or the first lines that differ. */
function compare(recorded, text) {
  if (recorded === text) return []
  const [before, after] = [recorded, text].map((whole) => new Set(whole.split('\n')))
  const gone = [...before].filter((line) => !after.has(line)).map((line) => `- ${line}`)
  const added = [...after].filter((line) => !before.has(line)).map((line) => `+ ${line}`)
  const shown = [...gone, ...added].slice(0, 20)
  return [`${report} differs from the build. If the change is intended, run: ${command}`, ...shown]
}

function render(entries) {
  const shown = new Map()
  const sections = entries
    .filter(({ names }) => names.length > 0)
    .map(({ entry, names }) => {
      const parts = names.map((name) => renderName(name, entry, names, shown))
      return `## ${entry}\n\n${names.length} names.\n\n\`\`\`ts\n${parts.join('\n\n')}\n\`\`\`\n`
    })
  return `# Public API\n\nEvery exported name and its declaration. Written by \`node scripts/public-api.mjs\`; do not edit.\n\n${sections.join('\n')}`
}

function renderName({ name, kind, text, file, local, bases }, entry, names, shown) {
  const key = `${file} ${local}`
  const before = shown.get(key)
  if (before !== undefined) return `// ${name} (${kind}): see ${before}`
  shown.set(key, entry)
  const hidden = bases.filter(
    (base) => !names.some((one) => one.file === base.file && one.local === base.local),
  )
  const inherited = hidden.map((base) => `\n// not exported, extended by ${name}\n${base.text}`)
  const alias = name === local ? '' : `// exported as ${name}\n`
  return [`${alias}${text}`, ...inherited].join('\n')
}
