/**
 * Finds out whether a lockfile is in sync with its manifest, by reading both: a dependency that the lockfile
 * lacks could be installed only by changing the lockfile. In doubt it counts as in sync, and the package manager
 * decides.
 */

import { z } from 'zod'
import { type TreeReader } from '../../engine/index.ts'
import { lockfiles } from '../../evidence/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { parseYaml, printable, tryParse } from '../dependencies/registry/lockfile-reading.ts'

type Wanted = ReadonlyMap<string, string>

const bytesMax = 16 * 1024 * 1024
const listedMax = 5

const versions = z.record(z.string(), z.string()).catch({})
const manifest = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  workspaces: z.unknown().optional(),
  resolutions: z.record(z.string(), z.unknown()).optional().catch(undefined),
})
type Manifest = z.infer<typeof manifest>

const npmRoot = z.object({
  packages: z.object({
    '': z.object({
      dependencies: versions,
      devDependencies: versions,
      optionalDependencies: versions,
    }),
  }),
})

const specifier = z.object({ specifier: z.string() })
const pnpmSection = z.record(z.string(), specifier).optional().catch(undefined)
const pnpmRoot = z.object({
  importers: z.object({
    '.': z.object({
      dependencies: pnpmSection,
      devDependencies: pnpmSection,
      optionalDependencies: pnpmSection,
    }),
  }),
})

/** The command that updates the lockfile, by manager. */
const fixes: Readonly<Record<string, string>> = {
  npm: 'npm install',
  pnpm: 'pnpm install',
  yarn: 'yarn install',
  bun: 'bun install',
}

/** Describes a lockfile at the root that is out of sync: what it lacks, and what to do. */
export async function findLockfileProblems(
  reader: TreeReader,
  tree: TreeId,
): Promise<readonly string[]> {
  const readText = async (path: string): Promise<string | undefined> => {
    const content = await reader.read(tree, path, bytesMax)
    return content === undefined ? undefined : Buffer.from(content).toString('utf8')
  }
  const parsed = manifest.safeParse(tryParse(JSON.parse, (await readText('package.json')) ?? ''))
  if (!parsed.success) return []
  for (const { file, manager, stack } of lockfiles) {
    const text = stack === 'node' ? await readText(file) : undefined
    if (text === undefined) continue
    const lacks = findMissing(file, text, parsed.data)
    return lacks.length === 0 ? [] : [describe(file, lacks, fixes[manager] ?? `${manager} install`)]
  }
  return []
}

function findMissing(file: string, text: string, parsed: Manifest): readonly string[] {
  const wanted = listWanted(parsed)
  switch (file) {
    case 'package-lock.json':
    case 'npm-shrinkwrap.json':
      return listDifferences(wanted, parseNpmLockfile(text))
    case 'pnpm-lock.yaml':
      return listDifferences(wanted, parsePnpmLockfile(text))
    case 'bun.lock': {
      const pairs = new Set(text.match(/"[^"\n]*": "[^"\n]*"/g))
      return listMissing(wanted, (name, version) =>
        pairs.has(`${JSON.stringify(name)}: ${JSON.stringify(version)}`),
      )
    }
    case 'yarn.lock':
      return findMissingInYarn(text, parsed, wanted)
    default:
      return []
  }
}

const listWanted = ({ dependencies, devDependencies, optionalDependencies }: Manifest): Wanted =>
  new Map(Object.entries({ ...devDependencies, ...dependencies, ...optionalDependencies }))

function parseNpmLockfile(text: string): Wanted | undefined {
  const parsed = npmRoot.safeParse(tryParse(JSON.parse, text))
  if (!parsed.success) return undefined
  const root = parsed.data.packages['']
  return listWanted({ ...root, workspaces: undefined, resolutions: undefined })
}

function parsePnpmLockfile(text: string): Wanted | undefined {
  const parsed = pnpmRoot.safeParse(parseYaml(text))
  if (!parsed.success) return undefined
  const { dependencies, devDependencies, optionalDependencies } = parsed.data.importers['.']
  const all = { ...devDependencies, ...dependencies, ...optionalDependencies }
  return new Map(Object.entries(all).map(([name, { specifier: version }]) => [name, version]))
}

/** Its keys are the requested ranges: `left-pad@^1.3.0`, or `left-pad@npm:^1.3.0`. */
function findMissingInYarn(text: string, { workspaces, resolutions }: Manifest, wanted: Wanted) {
  if (workspaces !== undefined || resolutions !== undefined) return []
  const keys = new Set(text.match(/^[^\s#].*(?=:\r?$)/gm)?.flatMap(splitPatterns))
  return listMissing(wanted, (name, version) => {
    if (/^(?:workspace|file|link|portal|patch|exec|git|https?|github):?/.test(version)) return true
    // Patterns are separated by commas, so a range with a comma cannot be compared.
    if (version.includes(',')) return true
    return keys.has(`${name}@${version}`) || keys.has(`${name}@npm:${version}`)
  })
}

const splitPatterns = (key: string): readonly string[] => key.replaceAll('"', '').split(/, ?/)

/** `locked` is undefined if the lockfile cannot be read; then there are no known differences. */
const listDifferences = (wanted: Wanted, locked: Wanted | undefined): readonly string[] =>
  locked === undefined
    ? []
    : [
        ...listMissing(wanted, (name, version) => locked.get(name) === version),
        ...[...locked.keys()].filter((name) => !wanted.has(name)).map((name) => `no ${name}`),
      ]

const listMissing = (wanted: Wanted, has: (name: string, version: string) => boolean): string[] =>
  [...wanted]
    .filter(([name, version]) => !has(name, version))
    .map(([name, version]) => `${name} ${version}`)

function describe(file: string, lacks: readonly string[], fix: string): string {
  const more = lacks.length > listedMax ? ` and ${lacks.length - listedMax} more` : ''
  const named = lacks.slice(0, listedMax).map(printable).join(', ')
  return `${file} is out of sync with package.json, which asks for ${named}${more}. Run "${fix}" and commit ${file}.`
}
