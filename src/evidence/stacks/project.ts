/** The facts about one stack in one folder that the condition table uses. */

import type { TreeReader } from '../../engine/index.ts'
import { defined, type TreeId } from '../../loop/index.ts'
import { isObject, type JsonObject, parseJsonObject } from '../seals/json-text.ts'
import { lockfiles } from './lockfiles.ts'
import type { Stack } from './stack.ts'

export interface Project {
  readonly stack: Stack
  /** Whether the folder contains a file with one of these names. */
  has(...names: readonly string[]): boolean
  /** Whether a file below the folder matches. */
  hasAny(pattern: RegExp): boolean
  /** The files that declare what the project uses, concatenated, to search for words. */
  readonly texts: string
  /** A script of package.json, unless it is npm's placeholder. */
  script(name: string): string | undefined
  /** Whether package.json lists it as any kind of dependency. */
  depends(name: string): boolean
  readonly manager: string
}

const textFiles = [
  'pyproject.toml',
  'setup.cfg',
  'setup.py',
  'tox.ini',
  'requirements.txt',
  'requirements-dev.txt',
  'Pipfile',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
]
const bytesMax = 1024 * 1024

export async function openProject(
  reader: TreeReader,
  tree: TreeId,
  stack: Stack,
): Promise<Project> {
  const files = await reader.list(tree)
  const inFolder = [...files.keys()].filter((path) => path.startsWith(stack.folder))
  const read = async (name: string): Promise<string> => {
    if (!files.has(`${stack.folder}${name}`)) return ''
    const bytes = await reader.read(tree, `${stack.folder}${name}`, bytesMax)
    return bytes === undefined ? '' : new TextDecoder().decode(bytes)
  }
  const texts = (await Promise.all(textFiles.map(read))).join('\n')
  const manifest = parseJsonObject(await read('package.json'), false) ?? {}
  const has = (...names: readonly string[]): boolean =>
    names.some((name) => files.has(`${stack.folder}${name}`))
  return {
    stack,
    has,
    hasAny: (pattern) => inFolder.some((path) => pattern.test(path.slice(stack.folder.length))),
    texts,
    script: (name) => findScript(manifest, name),
    depends: (name) => dependsOn(manifest, name),
    manager: namedManager(manifest) ?? managerByLockfile(stack, has) ?? 'npm',
  }
}

const managerByLockfile = (
  { name }: Pick<Stack, 'name'>,
  has: (file: string) => boolean,
): string | undefined =>
  lockfiles.find((lockfile) => lockfile.stack === name && has(lockfile.file))?.manager

/** From the field `packageManager`, such as `pnpm@9.1.0`. */
function namedManager(manifest: JsonObject): string | undefined {
  const written = manifest['packageManager']
  return typeof written === 'string' ? /^(npm|pnpm|yarn|bun)@/.exec(written)?.[1] : undefined
}

/** What a package inherits from its workspace: from its package.json, and the files next to that. */
export function readNodeWorkspace(
  manifestText: string,
  names: readonly string[],
): { readonly manager?: string; depends(name: string): boolean } {
  const manifest = parseJsonObject(manifestText, false) ?? {}
  const manager =
    namedManager(manifest) ?? managerByLockfile({ name: 'node' }, (file) => names.includes(file))
  return {
    ...defined({ manager }),
    depends: (name) => dependsOn(manifest, name),
  }
}

/** The script that `npm init` writes, which fails and tests nothing. */
const placeholder = /no test specified/i

function findScript(manifest: JsonObject, name: string): string | undefined {
  const scripts = manifest['scripts']
  const line = isObject(scripts) && Object.hasOwn(scripts, name) ? scripts[name] : undefined
  return typeof line === 'string' && line.trim() !== '' && !placeholder.test(line)
    ? line
    : undefined
}

const dependsOn = (manifest: JsonObject, name: string): boolean =>
  ['dependencies', 'devDependencies', 'optionalDependencies'].some((key) => {
    const table = manifest[key]
    return isObject(table) && Object.hasOwn(table, name)
  })
