/**
 * Install scripts of the packages in a layer. Off by default: they run only for packages that the user
 * approved or that the loop file names, and only in the sandbox.
 */

import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { DependencyItem } from '../../evidence/index.ts'

export interface PackageScripts {
  readonly name: string
  readonly version: string
  /** The folder of the package in the layer. */
  readonly folder: string
  /** In the order in which they run. */
  readonly scripts: readonly { readonly event: string; readonly command: string }[]
}

const events = ['preinstall', 'install', 'postinstall'] as const
const manifest = z.object({
  name: z.string(),
  version: z.string(),
  scripts: z.record(z.string(), z.unknown()).optional().catch(undefined),
  gypfile: z.boolean().optional().catch(undefined),
})
const depthMax = 40

/** `modules`: folders called `node_modules`. */
export function findScripts(modules: readonly string[]): readonly PackageScripts[] {
  const found: PackageScripts[] = []
  for (const folder of modules) searchModules(folder, found, 0)
  return found
}

function searchModules(modules: string, found: PackageScripts[], depth: number): void {
  if (depth > depthMax) return
  for (const entry of listFolders(modules)) {
    const path = join(modules, entry)
    if (entry === '.pnpm') {
      for (const one of listFolders(path))
        searchModules(join(path, one, 'node_modules'), found, depth + 1)
    } else if (entry.startsWith('@')) {
      for (const one of listFolders(path)) searchPackage(join(path, one), found, depth)
    } else if (!entry.startsWith('.')) searchPackage(path, found, depth)
  }
}

/** Ignores links: they point to packages elsewhere in the layer. */
const listFolders = (path: string): readonly string[] =>
  existsSync(path)
    ? readdirSync(path, { withFileTypes: true }).flatMap((one) =>
        one.isDirectory() ? [one.name] : [],
      )
    : []

function searchPackage(folder: string, found: PackageScripts[], depth: number): void {
  const read = readManifest(join(folder, 'package.json'))
  const scripts = read === undefined ? [] : readScripts(read, folder)
  if (read !== undefined && scripts.length > 0) {
    found.push({ name: read.name, version: read.version, folder, scripts })
  }
  searchModules(join(folder, 'node_modules'), found, depth + 1)
}

function readManifest(path: string): z.infer<typeof manifest> | undefined {
  try {
    // An install may have created a link to anywhere.
    if (!lstatSync(path).isFile()) return undefined
    return manifest.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data
  } catch {
    return undefined
  }
}

function readScripts(
  { scripts = {}, gypfile }: z.infer<typeof manifest>,
  folder: string,
): PackageScripts['scripts'] {
  const named = events.flatMap((event) => {
    const command = scripts[event]
    return typeof command === 'string' && command.trim() !== '' ? [{ event, command }] : []
  })
  const isBuilt = named.some(({ event }) => event !== 'postinstall')
  // npm's default for packages with native code.
  const isNative = gypfile !== false && !isBuilt && existsSync(join(folder, 'binding.gyp'))
  return isNative ? [{ event: 'install', command: 'node-gyp rebuild' }, ...named] : named
}

export function toScriptItem({ name, version, scripts }: PackageScripts): DependencyItem {
  const digest = createHash('sha256').update(JSON.stringify(scripts)).digest('hex').slice(0, 16)
  const id = `script:${name}@${version}#${digest}`
  const runs = scripts.map(({ event, command }) => `${event}: ${command.slice(0, 200)}`).join('; ')
  return {
    kind: 'install-script',
    id,
    text: `${id} (${runs})`,
    mentions: name.replace(/^@[^/]*\//, ''),
  }
}

/** The folders of programs that its scripts expect on the PATH, nearest first. */
export function listProgramFolders({ folder }: PackageScripts, layer: string): readonly string[] {
  const folders: string[] = []
  for (let at = folder; at.startsWith(layer); at = dirname(at)) {
    folders.push(join(at, 'node_modules', '.bin'))
  }
  return folders
}
