/**
 * Whether a lockfile is in sync with the manifest beside it, by reading both: what the manifest asks for and
 * the lockfile does not have could only be installed by changing the lockfile. In doubt it is in sync; the
 * package manager decides.
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

/** For each lockfile at the top that is out of sync: what it lacks, and what to do. */
export async function lockfileProblems(
  reader: TreeReader,
  tree: TreeId,
): Promise<readonly string[]> {
  const textOf = async (path: string): Promise<string | undefined> => {
    const content = await reader.read(tree, path, bytesMax)
    return content === undefined ? undefined : Buffer.from(content).toString('utf8')
  }
  const asked = manifest.safeParse(tryParse(JSON.parse, (await textOf('package.json')) ?? ''))
  if (!asked.success) return []
  for (const { file, manager, stack } of lockfiles) {
    const text = stack === 'node' ? await textOf(file) : undefined
    if (text === undefined) continue
    const lacks = lackingIn(file, text, asked.data)
    return lacks.length === 0 ? [] : [describe(file, lacks, fixes[manager] ?? `${manager} install`)]
  }
  return []
}

function lackingIn(file: string, text: string, asked: Manifest): readonly string[] {
  const wanted = wantedBy(asked)
  switch (file) {
    case 'package-lock.json':
    case 'npm-shrinkwrap.json':
      return differing(wanted, lockedByNpm(text))
    case 'pnpm-lock.yaml':
      return differing(wanted, lockedByPnpm(text))
    case 'bun.lock': {
      const pairs = new Set(text.match(/"[^"\n]*": "[^"\n]*"/g))
      return lacking(wanted, (name, version) =>
        pairs.has(`${JSON.stringify(name)}: ${JSON.stringify(version)}`),
      )
    }
    case 'yarn.lock':
      return lackingInYarn(text, asked, wanted)
    default:
      return []
  }
}

const wantedBy = ({ dependencies, devDependencies, optionalDependencies }: Manifest): Wanted =>
  new Map(Object.entries({ ...devDependencies, ...dependencies, ...optionalDependencies }))

function lockedByNpm(text: string): Wanted | undefined {
  const parsed = npmRoot.safeParse(tryParse(JSON.parse, text))
  if (!parsed.success) return undefined
  const root = parsed.data.packages['']
  return wantedBy({ ...root, workspaces: undefined, resolutions: undefined })
}

function lockedByPnpm(text: string): Wanted | undefined {
  const parsed = pnpmRoot.safeParse(parseYaml(text))
  if (!parsed.success) return undefined
  const { dependencies, devDependencies, optionalDependencies } = parsed.data.importers['.']
  const all = { ...devDependencies, ...dependencies, ...optionalDependencies }
  return new Map(Object.entries(all).map(([name, { specifier: version }]) => [name, version]))
}

/** Its keys are what was asked for: `left-pad@^1.3.0`, or `left-pad@npm:^1.3.0`. */
function lackingInYarn(text: string, { workspaces, resolutions }: Manifest, wanted: Wanted) {
  if (workspaces !== undefined || resolutions !== undefined) return []
  const keys = new Set(text.match(/^[^\s#].*(?=:\r?$)/gm)?.flatMap(patternsOf))
  return lacking(wanted, (name, version) => {
    if (/^(?:workspace|file|link|portal|patch|exec|git|https?|github):?/.test(version)) return true
    // Patterns are separated by commas, and this one has some itself.
    if (version.includes(',')) return true
    return keys.has(`${name}@${version}`) || keys.has(`${name}@npm:${version}`)
  })
}

const patternsOf = (key: string): readonly string[] => key.replaceAll('"', '').split(/, ?/)

/** Undefined: it cannot be read, so nothing is known. */
const differing = (wanted: Wanted, locked: Wanted | undefined): readonly string[] =>
  locked === undefined
    ? []
    : [
        ...lacking(wanted, (name, version) => locked.get(name) === version),
        ...[...locked.keys()].filter((name) => !wanted.has(name)).map((name) => `no ${name}`),
      ]

const lacking = (wanted: Wanted, has: (name: string, version: string) => boolean): string[] =>
  [...wanted]
    .filter(([name, version]) => !has(name, version))
    .map(([name, version]) => `${name} ${version}`)

function describe(file: string, lacks: readonly string[], fix: string): string {
  const more = lacks.length > listedMax ? ` and ${lacks.length - listedMax} more` : ''
  const named = lacks.slice(0, listedMax).map(printable).join(', ')
  return `${file} is out of sync with package.json, which asks for ${named}${more}. Run "${fix}" and commit ${file}.`
}
