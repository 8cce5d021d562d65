/**
 * Install scripts of the packages in a layer. They are off: they run only for packages that a person approved,
 * or that the loop file names, and only inside the sandbox.
 */

import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { DependencyItem } from '../../evidence/index.ts'

export interface PackageScripts {
  readonly name: string
  readonly version: string
  /** Of the package, in the layer. */
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
  for (const folder of modules) lookIn(folder, found, 0)
  return found
}

function lookIn(modules: string, found: PackageScripts[], depth: number): void {
  if (depth > depthMax) return
  for (const entry of foldersIn(modules)) {
    const path = join(modules, entry)
    if (entry === '.pnpm') {
      for (const one of foldersIn(path)) lookIn(join(path, one, 'node_modules'), found, depth + 1)
    } else if (entry.startsWith('@')) {
      for (const one of foldersIn(path)) lookAt(join(path, one), found, depth)
    } else if (!entry.startsWith('.')) lookAt(path, found, depth)
  }
}

/** Links are of a package that is somewhere else in the layer. */
const foldersIn = (path: string): readonly string[] =>
  existsSync(path)
    ? readdirSync(path, { withFileTypes: true }).flatMap((one) =>
        one.isDirectory() ? [one.name] : [],
      )
    : []

function lookAt(folder: string, found: PackageScripts[], depth: number): void {
  const read = readManifest(join(folder, 'package.json'))
  const scripts = read === undefined ? [] : scriptsOf(read, folder)
  if (read !== undefined && scripts.length > 0) {
    found.push({ name: read.name, version: read.version, folder, scripts })
  }
  lookIn(join(folder, 'node_modules'), found, depth + 1)
}

function readManifest(path: string): z.infer<typeof manifest> | undefined {
  try {
    // An install may have put a link to anywhere there.
    if (!lstatSync(path).isFile()) return undefined
    return manifest.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data
  } catch {
    return undefined
  }
}

function scriptsOf(
  { scripts = {}, gypfile }: z.infer<typeof manifest>,
  folder: string,
): PackageScripts['scripts'] {
  const named = events.flatMap((event) => {
    const command = scripts[event]
    return typeof command === 'string' && command.trim() !== '' ? [{ event, command }] : []
  })
  const isBuilt = named.some(({ event }) => event !== 'postinstall')
  // As npm does for native code that says nothing else.
  const isNative = gypfile !== false && !isBuilt && existsSync(join(folder, 'binding.gyp'))
  return isNative ? [{ event: 'install', command: 'node-gyp rebuild' }, ...named] : named
}

export function scriptItem({ name, version, scripts }: PackageScripts): DependencyItem {
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

/** Folders of programs that its scripts expect, the nearest first. */
export function scriptPath({ folder }: PackageScripts, layer: string): readonly string[] {
  const folders: string[] = []
  for (let at = folder; at.startsWith(layer); at = dirname(at)) {
    folders.push(join(at, 'node_modules', '.bin'))
  }
  return folders
}
