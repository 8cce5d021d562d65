/** What the tables of conditions ask about one stack in one folder. */

import type { TreeReader } from '../../engine/index.ts'
import { defined, type TreeId } from '../../loop/index.ts'
import { isObject, type JsonObject, parseJsonObject } from '../seals/json-text.ts'
import { lockfiles } from './lockfiles.ts'
import type { Stack } from './stack.ts'

export interface Project {
  readonly stack: Stack
  /** A file of this name lies in the folder. */
  has(...names: readonly string[]): boolean
  /** Some file below the folder fits. */
  hasAny(pattern: RegExp): boolean
  /** Of the files that say what the project uses, all in one; for words to be found in. */
  readonly texts: string
  /** Of package.json: the line, unless it is npm's placeholder. */
  script(name: string): string | undefined
  /** Named in package.json, whatever for. */
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
    script: (name) => scriptOf(manifest, name),
    depends: (name) => dependsOn(manifest, name),
    manager: namedManager(manifest) ?? managerByLockfile(stack, has) ?? 'npm',
  }
}

const managerByLockfile = (
  { name }: Pick<Stack, 'name'>,
  has: (file: string) => boolean,
): string | undefined =>
  lockfiles.find((lockfile) => lockfile.stack === name && has(lockfile.file))?.manager

/** By the field `packageManager`, such as `pnpm@9.1.0`. */
function namedManager(manifest: JsonObject): string | undefined {
  const written = manifest['packageManager']
  return typeof written === 'string' ? /^(npm|pnpm|yarn|bun)@/.exec(written)?.[1] : undefined
}

/** What a package takes from the workspace around it: from its package.json, and the names beside that. */
export function workspaceOf(
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

/** What `npm init` writes: a script that fails and tests nothing. */
const placeholder = /no test specified/i

function scriptOf(manifest: JsonObject, name: string): string | undefined {
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
