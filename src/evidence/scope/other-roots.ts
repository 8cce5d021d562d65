/** Derives the work in Python, Rust, Go and JVM projects, and without a manifest. */

import { parseStatements } from '../seals/statements.ts'
import { folderOf, isForeign, nameOf } from './file-kinds.ts'
import { normalizePath } from './references.ts'
import { type BaseFiles, type Root, rootAround } from './root.ts'

const manifestsMax = 200
const python = new Set(['py', 'pyi', 'pyx', 'data', 'c', 'cpp', 'template', 'style', 'js', 'image'])
const rust = new Set(['rs', 'data', 'template', 'style', 'image', 'sql', 'wgsl', 'glsl'])
const go = new Set(['go', 'data', 's', 'c', 'template', 'style', 'js', 'image', 'sql', 'proto'])

const pythonManifest = /(?:^|\/)(?:pyproject\.toml|setup\.py|setup\.cfg)$/
const pythonList = /(?:^|\/)(?:requirements\.txt|Pipfile|tox\.ini|pytest\.ini)$/

export async function otherRoots(base: BaseFiles): Promise<readonly Root[]> {
  const found = (pattern: RegExp): readonly string[] =>
    [...base.files.keys()]
      .filter((path) => pattern.test(path) && !isForeign(path))
      .slice(0, manifestsMax)
  const manifests = found(pythonManifest)
  const roots = await Promise.all([
    ...(manifests.length > 0 ? manifests : found(pythonList)).map((path) =>
      pythonRoots(path, base),
    ),
    ...found(/(?:^|\/)Cargo\.toml$/).map((path) => rustRoots(path, base)),
  ])
  return [
    ...roots.flat(),
    ...found(/(?:^|\/)go\.mod$/).map((path): Root => {
      return { folder: folderOf(path), deep: true, kinds: go, why: `module of ${path}` }
    }),
    ...found(/(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?|build\.sbt)$/).flatMap((path) =>
      ['src/main/', 'app/src/main/'].flatMap((name): Root[] => {
        const folder = `${folderOf(path)}${name}`
        return base.folders.has(folder) ? [{ folder, deep: true, why: path }] : []
      }),
    ),
    ...found(/\.gemspec$|(?:^|\/)(?:Gemfile|mix\.exs|composer\.json|Package\.swift)$/).flatMap(
      (path) =>
        ['lib/', 'app/', 'src/', 'Sources/', 'exe/', 'bin/'].flatMap((name): Root[] => {
          const folder = `${folderOf(path)}${name}`
          return base.folders.has(folder) ? [{ folder, deep: true, why: path }] : []
        }),
    ),
  ]
}

const packageKeys =
  /(?:^|\.)(?:packages|py-modules|py_modules|package-dir|package_dir|include|where|module|from|packages\.find)$/

async function pythonRoots(manifest: string, base: BaseFiles): Promise<readonly Root[]> {
  const folder = folderOf(manifest)
  const text = await base.read(manifest)
  const format = manifest.endsWith('.toml') ? 'toml' : 'ini'
  const statements = manifest.endsWith('.py') ? [] : (parseStatements(text, format) ?? [])
  const named = statements.flatMap(({ type, path, value }) =>
    type === 'pair' && packageKeys.test(path.join('.')) && !path.includes('exclude')
      ? [...value.matchAll(/[\w./-]+/g)].map(([word]) => word)
      : [],
  )
  const roots: Root[] = []
  const add = (name: string, why: string): void => {
    const at = normalizePath(name.includes('/') ? name : name.replaceAll('.', '/'))
    if (at !== undefined && at !== '' && base.folders.has(`${folder}${at}/`)) {
      roots.push({ ...rootAround(`${folder}${at}/x`, folder, why), kinds: python })
    }
  }
  for (const name of named) add(name, `packages of ${manifest}`)
  add('src', `src of ${manifest}`)
  for (const path of base.files.keys()) {
    if (!path.startsWith(folder) || !path.endsWith('.py')) continue
    const parts = path.slice(folder.length).split('/')
    if (parts.length === 2 && parts[1] === '__init__.py')
      add(parts[0] ?? '', `a package next to ${manifest}`)
  }
  roots.push({
    folder,
    deep: false,
    kinds: new Set(['py', 'pyi']),
    why: `modules next to ${manifest}`,
  })
  if (roots.length === 1) {
    // Folders without __init__.py are packages as well.
    for (const path of base.files.keys()) {
      if (path.startsWith(folder) && path.endsWith('.py') && path.includes('/', folder.length)) {
        add(path.slice(folder.length).split('/')[0] ?? '', `modules below ${manifest}`)
      }
    }
  }
  return roots
}

async function rustRoots(manifest: string, base: BaseFiles): Promise<readonly Root[]> {
  const folder = folderOf(manifest)
  const statements = parseStatements(await base.read(manifest), 'toml') ?? []
  const paths = statements.flatMap(({ type, path, value }) => {
    const key = path.join('.')
    const file = /^["']([^"'\n]+)["']$/.exec(value)?.[1]
    return type === 'pair' && /^(?:lib|bin)\.path$/.test(key) && file !== undefined ? [file] : []
  })
  const roots = paths.flatMap((path): Root[] => {
    const plain = normalizePath(path)
    if (plain === undefined) return []
    const root = rootAround(`${folder}${plain}`, folder, `path of ${manifest}`)
    return [{ ...root, kinds: rust }]
  })
  const source = `${folder}src/`
  return base.folders.has(source)
    ? [{ folder: source, deep: true, kinds: rust, why: `crate of ${manifest}` }, ...roots]
    : roots
}

/** If nothing defines the product: everything except settings at the top. */
export const anyRoot: Root = { folder: '', deep: true, why: 'no manifest' }

const settingsNames =
  /^(?:\..*|.*\.(?:config|conf|setup|workspace|rc)\.[\w.]+|.*rc\.(?:[cm]?js|json|ya?ml)|(?:gulp|grunt|make|rake|just|task|docker|vagrant|proc|jenkins|nox|jake)file.*|setup\.py|manage\.py|build\.(?:rs|zig|xml)|dockerfile.*|.*\.(?:toml|ini|cfg|lock|gemspec|mk|egg-info)|.*compose\.ya?ml|license.*|readme.*)$/i

/** Settings of tools, by name. An existing one in a product folder may be part of the product. */
export const isSettings = (path: string): boolean =>
  settingsNames.test(nameOf(path)) || /(?:^|\/)[^/]*\.egg-info\//.test(path)
