/**
 * Which folder of `src/` may import which, and what is wrong with a set of imports. Project references are
 * transitive, so the compiler alone would let `cli` import `journal`.
 */

import { dirname, posix } from 'node:path'

const words = (text: string): readonly string[] => text.split(' ')

/** The parts that implement ports: they know the engine's ports, and nothing of each other. */
const parts = words('journal workspace sandbox gateway tools agents authority telemetry')

const belowHost = [
  ...'loop system protocol formats engine evidence loops definition runs history launch'.split(' '),
  ...parts,
]

/** What `loopctl` loads for every command. */
const cliStart = ['loop', 'protocol', 'system', 'definition', 'client']

/**
 * Folders that load most of what they may import only when it is needed: `folder: what it may load at its
 * start`. The rest is imported as types, or by `import()`.
 */
export const eagerImports: Readonly<Record<string, readonly string[]>> = { cli: cliStart }

/** `folder: the folders that it may import`. A folder without a row is not part of the architecture. */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  loop: [],
  system: ['loop'],
  engine: ['loop', 'system'],
  ...Object.fromEntries(parts.map((part) => [part, ['loop', 'system', 'engine']])),
  protocol: ['loop'],
  formats: ['loop', 'protocol'],
  // Certificates are a published format, and evidence signs them.
  evidence: ['loop', 'system', 'engine', 'protocol'],
  // The keys of a loop type are part of a published format, the loop file.
  loops: ['loop', 'protocol', 'engine'],
  definition: ['loop', 'protocol', 'loops', 'system', 'formats'],
  runs: ['loop', 'protocol', 'formats', 'system', 'engine', 'journal', 'workspace', 'sandbox'],
  history: words(
    'loop protocol system formats engine journal workspace gateway tools evidence runs',
  ),
  launch: [
    ...words('loop protocol system formats engine evidence loops definition runs history'),
    ...parts,
  ],
  host: belowHost,
  daemon: [...belowHost, 'host'],
  cluster: [...belowHost, 'host', 'daemon'],
  client: ['loop', 'protocol'],
  cli: [...cliStart, 'loops', 'history', 'launch', 'host', 'daemon'],
  dashboard: ['client'],
}

export interface SourceFile {
  /** From the root of the repository, such as `src/loop/decide.ts`. */
  readonly path: string
  readonly text: string
}

/** Files of `src/` without tests, each with the files that it imports, types included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

export const toImportGraph = (files: readonly SourceFile[]): ImportGraph =>
  new Map(
    files
      .filter(({ path }) => !path.endsWith('.test.ts'))
      .map(({ path, text }) => [path, importedFiles(path, text)]),
  )

const importPattern = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g

const importedFiles = (path: string, text: string): readonly string[] =>
  [...text.matchAll(importPattern)].map(([, specifier = '']) =>
    posix.normalize(posix.join(dirname(path), specifier)),
  )

/** Imports against the table, each as `file imports file`. */
export const forbiddenImports = (graph: ImportGraph): readonly string[] =>
  [...graph].flatMap(([path, imported]) =>
    imported
      .filter((target) => !isAllowed(folderOf(path), folderOf(target)))
      .map((target) => `${path} imports ${target}`),
  )

const eagerPattern = /^(?:import|export)\s(?!type\s)(?:[^'"]*?\sfrom\s*)?['"]([^'"]+)['"]/gm

/** What is loaded at once with a file: paths from the root for its relative imports, else names of packages. */
export const eagerImportsOf = ({ path, text }: SourceFile): readonly string[] =>
  [...text.matchAll(eagerPattern)].map(([, specifier = '']) =>
    specifier.startsWith('.') ? posix.join(dirname(path), specifier) : specifier,
  )

/** Imports that are loaded at once and should not be, each as `file loads file`. */
export const forbiddenEagerImports = (files: readonly SourceFile[]): readonly string[] =>
  files
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap((file) => {
      const from = folderOf(file.path)
      const allowed = eagerImports[from]
      if (allowed === undefined) return []
      return eagerImportsOf(file)
        .filter((target) => target.startsWith('src/'))
        .filter((target) => folderOf(target) !== from && !allowed.includes(folderOf(target)))
        .map((target) => `${file.path} loads ${target}`)
    })

/** `testing` may import everything; only tests import `testing`. */
const isAllowed = (from: string, to: string): boolean =>
  from === to || from === 'testing' || allowedImports[from]?.includes(to) === true

const folderOf = (path: string): string => path.split('/')[1] ?? ''

/** Groups of folders that import each other, directly or through others. */
export function folderCycles(graph: ImportGraph): readonly (readonly string[])[] {
  const folders = new Map<string, Set<string>>()
  for (const [path, imported] of graph) {
    const from = folderOf(path)
    const known = folders.get(from) ?? new Set()
    for (const target of imported) if (folderOf(target) !== from) known.add(folderOf(target))
    folders.set(from, known)
  }
  return cyclesIn(new Map([...folders].map(([from, to]) => [from, [...to]])))
}

/** Groups of files that import each other, directly or through others. */
export const fileCycles = (graph: ImportGraph): readonly (readonly string[])[] => cyclesIn(graph)

/** Strongly connected components with more than one member (Tarjan). */
function cyclesIn(graph: ImportGraph): readonly (readonly string[])[] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: (readonly string[])[] = []
  const visit = (node: string): number => {
    const index = order.size
    order.set(node, index)
    stack.push(node)
    let low = index
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? 0)
      lowest.set(node, low)
    }
    lowest.set(node, low)
    if (low === index) {
      const members = stack.splice(stack.indexOf(node))
      if (members.length > 1) cycles.push(members.toSorted())
    }
    return low
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return cycles
}
