// Checks what neither the compiler nor the linter can: that the documents name what exists, that
// the folders follow the architecture, and that an install runs no foreign code.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allowedImports, forbiddenEagerImports } from './import-rules.ts'

const root = resolve(import.meta.dirname, '..')
const maxLines = 300

const texts = z.record(z.string(), z.string())
const dependencyLists = {
  dependencies: texts.default({}),
  optionalDependencies: texts.default({}),
  devDependencies: texts.default({}),
}
const PackageFile = z.object({ name: z.string(), scripts: texts, ...dependencyLists })
const LockedPackage = z.object({
  ...dependencyLists,
  resolved: z.string().optional(),
  dev: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
})
const LockFile = z.object({ packages: z.record(z.string(), LockedPackage) })
const ProjectFile = z.object({
  compilerOptions: z
    .object({ types: z.array(z.string()).optional(), lib: z.array(z.string()).optional() })
    .default({}),
  references: z.array(z.object({ path: z.string() })).default([]),
})

/** Folders that cannot even import Node. */
const pureFolders = ['loop', 'protocol', 'formats']

/** Its prebuilt binaries are inside the tarball, so it works although its install script never runs. */
const unusedInstallScripts = ['@photostructure/sqlite']

const packageFile = PackageFile.parse(readJson('package.json'))
const lockFile = LockFile.parse(readJson('package-lock.json'))
const sourceFolders = foldersIn('src')
const sourceFiles = filesUnder('src').filter((path) => /\.tsx?$/.test(path))

describe('folders', () => {
  test('every folder of src is in the code map', () => {
    const codeMap = read('docs/ARCHITECTURE.md')
    const unnamed = sourceFolders.filter((folder) => !codeMap.includes(`${folder}/`))
    expect(unnamed).toEqual([])
  })

  test('every folder of src has a tsconfig that the root reaches through references', () => {
    const reached = reachableProjects()
    const unreached = sourceFolders.filter((folder) => !reached.has(`src/${folder}`))
    expect(unreached).toEqual([])
  })

  test.each(sourceFolders)('src/%s refers only to folders that its arrows allow', (folder) => {
    const allowed = folder === 'testing' ? sourceFolders : allowedImports[folder]
    const references = referencesOf(`src/${folder}`).map((path) => relative('src', path))
    const refused = references.filter((reference) => !allowed?.includes(reference))
    expect(refused).toEqual([])
  })

  test('anything else that a command needs is loaded on demand', () => {
    const files = sourceFiles.map((path) => ({ path, text: read(path) }))
    expect(forbiddenEagerImports(files)).toEqual([])
    const planted = [
      { path: 'src/cli/a.ts', text: "import { openHost } from '../host/open-host.ts'\n" },
      { path: 'src/cli/b.ts', text: "import type { Host } from '../host/host.ts'\n" },
      { path: 'src/cli/c.ts', text: "const { x } = await import('../host/open-host.ts')\n" },
    ]
    expect(forbiddenEagerImports(planted)).toEqual(['src/cli/a.ts loads src/host/open-host.ts'])
  })

  test.each(pureFolders)(
    'src/%s is compiled without the types of Node or of a browser',
    (folder) => {
      const options = projectAt(`src/${folder}`).compilerOptions
      expect(options.types).toEqual([])
      expect(options.lib ?? []).toEqual([])
    },
  )

  test('no folder has a meaningless name', () => {
    const vague = /^(utils?|common|helpers?|managers?|services?)$/
    const named = ['src', 'test', 'examples', 'bench', 'proof', 'scripts'].flatMap((top) =>
      filesUnder(top).flatMap((path) => dirname(path).split('/')),
    )
    expect([...new Set(named)].filter((name) => vague.test(name))).toEqual([])
  })
})

/** Phrases and names that were replaced by plainer ones. */
const replacedWords: readonly RegExp[] = [
  /\b(whoever|somebody|anybody)\b/i,
  /\b[Nn]obody\b/,
  /\bunless told\b/i,
  /\b(all the same|as ever|none but|in the place of|put back|put right|whatever you can)\b/i,
  /\b(takes?|taken) (it |them )?away\b/i,
  /\bthe very (same|text|bytes)\b/i,
  /\b(for the record|folder of the record|a run of its own|Told of|Who says so)\b/,
  /\b(is no|are no) (whole path|address of|part of it)\b/i,
  /\bbehind (the|its) walls\b/i,
  /\bdoors?\b/i,
  /\b(ModelDoor|TreeDoor|OpenWalls|openWalls|SqliteJournal|BegunFiles)\b/,
  /\b(openDoors|readOnlyWalls|renderWalls|wallsOf|restoreApart|pathsApart|withBegun|notPart|isBare)\b/,
  /\b(notOfTheWork|createTells|WhereToLook|AgentFound|TreeLook|withinLimit|leaveUnused)\b/,
  /\b(ofTheHouse|goRound|dropDead|notOfTheHouse)\b/,
  /\b(StepsUnderWay|OpenPlace|FolderPlace|LaunchedCheckKind|LoopGiven|addKeeping|addLooking|addTelling)\b/,
  /\b(settledBefore|requireWhole|tellOperations|pastOf)\b/,
  /clocks of the wall|× good work|Good work that|\bdocument 00\d\b|code of its own/,
  /Shall it\?|Say more of it|Who is heard/,
]

describe('words', () => {
  test('replaced phrases and names do not come back, in code and in documents', () => {
    const documents = filesUnder('docs').filter((path) => !path.startsWith('docs/adr/'))
    const pages = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md', ...documents]
    const code = sourceFiles.filter((path) => !path.endsWith('.test.ts'))
    const found = [...code, ...pages].flatMap((path) => replacedIn(path, read(path)))
    expect(found).toEqual([])
  })

  test('a planted phrase is found', () => {
    expect(replacedIn('planted.ts', '/** Ten unless told. */')).toHaveLength(1)
  })
})

describe('source files', () => {
  test(`none is longer than ${maxLines} lines`, () => {
    const long = sourceFiles.filter((path) => lineCount(read(path)) > maxLines)
    expect(long).toEqual([])
  })

  test('none contains a note to do something later: that is what issues are for', () => {
    const notes = sourceFiles.filter((path) => /\b(TODO|FIXME|XXX)\b/.test(read(path)))
    expect(notes).toEqual([])
  })

  test('none contains a control character, which editors and searches hide: write an escape', () => {
    const hidden = sourceFiles.filter((path) => /[^\P{Cc}\n\t]/u.test(read(path)))
    expect(hidden).toEqual([])
  })

  test('only tests import src/testing', () => {
    const importers = sourceFiles.filter(
      (path) =>
        !path.startsWith('src/testing/') &&
        !path.endsWith('.test.ts') &&
        importsOf(path).some((specifier) => /^(\.\.\/)+testing\//.test(specifier)),
    )
    expect(importers).toEqual([])
  })

  test('none outside src/journal names SQLite in an identifier: others use the Store port', () => {
    const naming = sourceFiles.filter(
      (path) => !path.startsWith('src/journal/') && /Sqlite/.test(read(path)),
    )
    expect(naming).toEqual([])
  })

  test('none imports the package by its own name, which would bypass the import rules', () => {
    const own = new RegExp(`^${packageFile.name}(/|$)`)
    const importers = sourceFiles.filter((path) =>
      importsOf(path).some((specifier) => own.test(specifier)),
    )
    expect(importers).toEqual([])
  })
})

describe('dependencies', () => {
  const declared = Object.keys({
    ...packageFile.dependencies,
    ...packageFile.optionalDependencies,
    ...packageFile.devDependencies,
  }).toSorted()

  test('each has its reason in docs/dependencies.md, which lists no others', () => {
    const rows = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` +\|/gm)]
    expect(rows.map((row) => row[1] ?? '').toSorted()).toEqual(declared)
  })

  test('the lock file agrees with package.json', () => {
    const locked = lockFile.packages['']
    expect(locked?.dependencies).toEqual(packageFile.dependencies)
    expect(locked?.optionalDependencies).toEqual(packageFile.optionalDependencies)
    expect(locked?.devDependencies).toEqual(packageFile.devDependencies)
  })

  test('the lock file names every platform, else npm ci refuses it: node scripts/complete-lock.mjs', () => {
    const missing = Object.entries(lockFile.packages).flatMap(([parent, locked]) =>
      Object.keys(locked.optionalDependencies).filter(
        (name) =>
          !(`node_modules/${name}` in lockFile.packages) &&
          !(`${parent}/node_modules/${name}` in lockFile.packages),
      ),
    )
    expect(missing).toEqual([])
  })

  test('the lock file contains no URLs, so that any registry can serve it', () => {
    const addressed = lockedPackages().filter(([, locked]) => locked.resolved !== undefined)
    expect(addressed.map(([path]) => path)).toEqual([])
  })

  test('none that a user installs needs its install script', () => {
    const scripted = lockedPackages()
      .filter(([, locked]) => !locked.dev && locked.hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(scripted).toEqual(unusedInstallScripts)
    expect(Object.keys(packageFile.optionalDependencies)).toEqual(
      expect.arrayContaining(unusedInstallScripts),
    )
  })
})

describe('documents', () => {
  test('every decision is linked from the index, and every link leads to one', () => {
    const pages = readdirSync(join(root, 'docs/adr')).filter((name) => /^\d{4}-/.test(name))
    const links = [...read('docs/adr/README.md').matchAll(/\]\((\d{4}-[^)]+)\)/g)]
    expect(pages.length).toBeGreaterThan(0)
    expect(links.map((link) => link[1] ?? '').toSorted()).toEqual(pages.toSorted())
  })

  test('every link from one document to another points to a file', () => {
    const documents = [...readdirSync(root), ...filesUnder('docs')].filter((path) =>
      path.endsWith('.md'),
    )
    expect(documents.flatMap(deadLinksOf)).toEqual([])
  })

  test.each(['docs/ARCHITECTURE.md', 'docs/extending.md', 'CONTRIBUTING.md', 'AGENTS.md'])(
    'every path of this repository that %s names exists',
    (document) => {
      const paths = read(document).match(/(?<=`)(?:src|test|proof|bench|scripts)\/[\w./-]+(?=`)/g)
      expect((paths ?? []).filter((path) => !existsSync(join(root, path)))).toEqual([])
    },
  )

  test('every npm command in the README is a script of package.json', () => {
    const commands = codeBlocksOf(read('README.md')).flatMap((block) => [
      ...block.matchAll(/\bnpm (?:run (?:--silent )?)?([\w:-]+)/g),
    ])
    const names = commands.map((command) => command[1] ?? '')
    expect(names).toEqual(expect.arrayContaining(['start', 'test']))
    expect(names.filter((name) => !(name in packageFile.scripts))).toEqual([])
  })

  test.each(['examples/readme.ts', 'examples/first-loop.yaml'])(
    '%s is copied verbatim into the README; node scripts/readme.mjs does that',
    (example) => {
      const [, shown] = read('README.md').split(`<!-- begin ${example} -->\n`)
      const [block] = shown?.split(`<!-- end ${example} -->`) ?? []
      const language = example.split('.').at(-1)
      expect(block).toBe(`\`\`\`${language}\n${read(example)}\`\`\`\n`)
    },
  )

  test('the changelog has a section for unreleased changes', () => {
    expect(read('CHANGELOG.md')).toMatch(/^## \[?Unreleased\]?$/m)
  })
})

test('continuous integration runs what a contributor runs', () => {
  expect(read('.ci/run')).toMatch(/^npm test$/m)
  expect(statSync(join(root, '.ci/run')).mode & 0o111).not.toBe(0)
})

function replacedIn(path: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, at) => {
    const isFound = replacedWords.some((pattern) => pattern.test(line))
    return isFound ? [`${path}:${at + 1}: ${line.trim()}`] : []
  })
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function readJson(path: string): unknown {
  return JSON.parse(read(path))
}

function foldersIn(path: string): string[] {
  const entries = readdirSync(join(root, path), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

/** Paths from the root, without what is installed or built. */
function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesUnder(path)
    return [path]
  })
}

/** Lines of code, as the linter counts them: comments and blank lines do not count. */
function lineCount(text: string): number {
  return text.split('\n').filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line)).length
}

function importsOf(path: string): string[] {
  const specifiers = read(path).matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)
  return [...specifiers].map((match) => match[1] ?? '')
}

function hasProject(folder: string): boolean {
  return existsSync(join(root, folder, 'tsconfig.json'))
}

function projectAt(folder: string): z.infer<typeof ProjectFile> {
  return ProjectFile.parse(readJson(`${folder}/tsconfig.json`))
}

/** The folders, from the root, that a project refers to. */
function referencesOf(folder: string): string[] {
  const { references } = projectAt(folder)
  return references.map(({ path }) => relative(root, resolve(root, folder, path)))
}

function reachableProjects(): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = ['.']
  for (let project = waiting.pop(); project !== undefined; project = waiting.pop()) {
    if (reached.has(project) || !hasProject(project)) continue
    reached.add(project)
    waiting.push(...referencesOf(project))
  }
  return reached
}

function lockedPackages(): [string, z.infer<typeof LockedPackage>][] {
  return Object.entries(lockFile.packages).filter(([path]) => path !== '')
}

function codeBlocksOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '')
}

/** Links within the repository whose file is missing, each as `document: target`. */
function deadLinksOf(path: string): string[] {
  const links = [...read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(
    (match) => match[1] ?? '',
  )
  return links
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !existsSync(join(root, dirname(path), target)))
    .map((target) => `${basename(path)}: ${target}`)
}
