/** The direct dependencies of a project with their current versions, from its manifest and its lockfile. */

import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { z } from 'zod'
import { readSmallFile } from '../../../system/index.ts'
import { tryParse } from '../../dependencies/registry/lockfile-reading.ts'

export interface Dependency {
  readonly name: string
  readonly current: string
}

export interface Dependencies {
  readonly manager: 'npm' | 'pip' | 'cargo' | 'go'
  readonly dependencies: readonly Dependency[]
  /** Those without a version that can be compared. */
  readonly unknown: readonly { readonly name: string; readonly reason: string }[]
}

type Read = (name: string) => Promise<string | undefined>

const bytesMax = 32 * 1024 * 1024

/** The first manifest that exists. Undefined: there is none. */
export async function readDependencies(workspace: string): Promise<Dependencies | undefined> {
  const read: Read = (name) => readSmallFile(join(workspace, name), bytesMax).catch(() => undefined)
  return (
    (await readNode(read)) ??
    (await readPython(read)) ??
    (await readCargo(read)) ??
    (await readGo(read))
  )
}

/** Sorted, without duplicates. `versionOf` returns undefined if the version is unknown. */
function toDependencies(
  manager: Dependencies['manager'],
  names: Iterable<string>,
  versionOf: (name: string) => string | undefined,
): Dependencies {
  const sorted = [...new Set(names)].toSorted()
  const found = sorted.map((name) => ({ name, current: versionOf(name) }))
  return {
    manager,
    dependencies: found.flatMap(({ name, current }) =>
      current === undefined ? [] : [{ name, current: current.slice(0, 60) }],
    ),
    unknown: found.flatMap(({ name, current }) =>
      current === undefined
        ? [{ name: name.slice(0, 200), reason: 'no lockfile has its version' }]
        : [],
    ),
  }
}

const ranges = z.record(z.string(), z.string()).optional().catch(undefined)
const packageSchema = z.object({
  dependencies: ranges,
  devDependencies: ranges,
  optionalDependencies: ranges,
})
const npmLockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional() })),
})

async function readNode(read: Read): Promise<Dependencies | undefined> {
  const manifest = packageSchema.safeParse(
    tryParse(JSON.parse, (await read('package.json')) ?? ''),
  ).data
  if (manifest === undefined) return undefined
  const all = {
    ...manifest.optionalDependencies,
    ...manifest.devDependencies,
    ...manifest.dependencies,
  }
  const text = (await read('package-lock.json')) ?? (await read('npm-shrinkwrap.json')) ?? ''
  const locked = npmLockSchema.safeParse(tryParse(JSON.parse, text)).data?.packages ?? {}
  // Others come from git, a folder, or have another name in the registry.
  const fromRegistry = Object.entries(all).filter(([, range]) => /^[\s\w.^~<>=|*-]*$/.test(range))
  const written = new Map(fromRegistry)
  return toDependencies(
    'npm',
    written.keys(),
    (name) => locked[`node_modules/${name}`]?.version ?? exactly(written.get(name) ?? ''),
  )
}

/** The version that a range begins with: `^1.2.0`, `~1.2`, `1.2.0`. */
const exactly = (range: string): string | undefined =>
  /^[\^~=v\s]*(\d+(?:\.\d+){0,2}(?:-[\w.-]+)?)$/.exec(range)?.[1]

const pythonLockSchema = z.object({
  package: z.array(z.object({ name: z.string(), version: z.string().optional() })),
})
const pyprojectSchema = z.object({
  project: z
    .object({ dependencies: z.array(z.string()).optional() })
    .optional()
    .catch(undefined),
  tool: z
    .object({
      poetry: z.object({ dependencies: z.record(z.string(), z.unknown()).optional() }).optional(),
    })
    .optional()
    .catch(undefined),
})

async function readPython(read: Read): Promise<Dependencies | undefined> {
  const requirements = await read('requirements.txt')
  const project = await read('pyproject.toml')
  if (requirements === undefined && project === undefined) return undefined
  const pinned = new Map<string, string | undefined>()
  for (const line of (requirements ?? '').split('\n')) {
    const [, name, version] =
      /^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*(?:==\s*([\w.+!-]+))?/.exec(line) ?? []
    if (name !== undefined && !line.startsWith('-')) pinned.set(normalize(name), version)
  }
  const { data } = pyprojectSchema.safeParse(tryParse(parseToml, project ?? ''))
  const declared = [
    ...(data?.project?.dependencies ?? []).map((one) => /^[A-Za-z0-9._-]+/.exec(one)?.[0] ?? ''),
    ...Object.keys(data?.tool?.poetry?.dependencies ?? {}).filter((name) => name !== 'python'),
  ].filter((name) => name !== '')
  const lockText = (await read('uv.lock')) ?? (await read('poetry.lock')) ?? ''
  const lock = pythonLockSchema.safeParse(tryParse(parseToml, lockText)).data?.package ?? []
  const locked = new Map(lock.map(({ name, version }) => [normalize(name), version]))
  return toDependencies(
    'pip',
    [...pinned.keys(), ...declared.map(normalize)],
    (name) => pinned.get(name) ?? locked.get(name),
  )
}

const normalize = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-')

const tables = z.record(z.string(), z.unknown()).optional().catch(undefined)
const cargoSchema = z.object({
  dependencies: tables,
  'dev-dependencies': tables,
  'build-dependencies': tables,
  workspace: z.object({ dependencies: tables }).optional().catch(undefined),
})
const cargoLockSchema = z.object({
  package: z.array(
    z.object({ name: z.string(), version: z.string(), source: z.string().optional() }),
  ),
})

async function readCargo(read: Read): Promise<Dependencies | undefined> {
  const text = await read('Cargo.toml')
  if (text === undefined) return undefined
  const data = cargoSchema.safeParse(tryParse(parseToml, text)).data ?? {}
  const sections = [
    data.dependencies,
    data['dev-dependencies'],
    data['build-dependencies'],
    'workspace' in data ? data.workspace?.dependencies : undefined,
  ]
  const lock = cargoLockSchema.safeParse(tryParse(parseToml, (await read('Cargo.lock')) ?? ''))
  const locked = new Map(
    (lock.data?.package ?? [])
      .filter(({ source = '' }) => /^(registry|sparse)\+/.test(source))
      .map(({ name, version }) => [name, version]),
  )
  const names = sections.flatMap((one) => Object.keys(one ?? {}))
  return toDependencies('cargo', names, (name) => locked.get(name))
}

async function readGo(read: Read): Promise<Dependencies | undefined> {
  const text = await read('go.mod')
  if (text === undefined) return undefined
  const direct = text
    .split('\n')
    .filter((line) => !line.includes('// indirect'))
    .flatMap((line) => {
      const [, name, version] = /^(?:require\s+|\t)([\w.~/-]+)\s+(v\d[\w.+-]*)\s*$/.exec(line) ?? []
      return name === undefined || version === undefined ? [] : [[name, version] as const]
    })
  const versions = new Map(direct)
  return toDependencies('go', versions.keys(), (name) => versions.get(name))
}
