/** Classifies changes of manifests, key by key. */

import { isObject, parseJsonObject } from '../seals/json-text.ts'
import { nameOf } from './file-kinds.ts'
import { compareManifests, findManifest, type ManifestKeys } from './manifest-keys.ts'
import { reachableScripts, startsScripts } from './reachable-scripts.ts'
import { type Decision, isRead, type Trees } from './trees.ts'

const packagesMax = 500
const testsMax = 1000
const keysShown = 200

export type DecideManifest = (path: string) => Promise<Decision | undefined>

export function createDecideManifest(trees: Trees): DecideManifest {
  let scripts: Promise<(name: string) => boolean> | undefined
  let mentions: Promise<(path: string) => boolean> | undefined
  return async (path) => {
    const manifest = findManifest(path)
    if (manifest === undefined) return undefined
    const before = await trees.textOfBase(path)
    const after = await trees.textOfTree(path)
    if (before === undefined || after === undefined) {
      if (!isRead(trees, path)) return undefined
      const isChanged = trees.before.has(path) && trees.after.has(path)
      return {
        class: 'other',
        why: isChanged
          ? 'a manifest that cannot be read by key'
          : 'a manifest was added or removed, which decides how code around it is loaded',
      }
    }
    if (/(?:^|\/)package\.json$/.test(path)) scripts ??= findFreeScripts(trees)
    const keys = compareManifests(manifest, before, after, await scripts)
    if (keys === undefined) return { class: 'other', why: 'a manifest that cannot be read by key' }
    const decision = decideKeys(trees, path, keys)
    if (decision?.class !== 'free-keys' || keys.free.length === 0) return decision
    mentions ??= namesInTests(trees)
    return (await mentions)(path)
      ? {
          ...decision,
          class: 'other',
          why: 'tests refer to this file, so its keys may be what they expect',
        }
      : decision
  }
}

function decideKeys(
  trees: Trees,
  path: string,
  { free, dependencies, closed }: ManifestKeys,
): Decision | undefined {
  const limit = (keys: readonly string[]): readonly string[] =>
    [...new Set(keys)].toSorted().slice(0, keysShown)
  if (dependencies.length === 0 && !isRead(trees, path)) return undefined
  if (closed.length > 0) {
    const why = 'keys that decide how checks run or what they load'
    return { class: 'other', why, keys: limit([...closed, ...dependencies]) }
  }
  if (dependencies.length > 0) {
    return { class: 'dependencies', why: 'dependencies of the project', keys: limit(dependencies) }
  }
  const why = free.length === 0 ? 'no value changed' : 'only keys that no check depends on'
  return { class: 'free-keys', why, ...(free.length === 0 ? {} : { keys: limit(free) }) }
}

/** Scripts that no check can run, in any package of the base or the candidate. */
async function findFreeScripts(trees: Trees): Promise<(name: string) => boolean> {
  const { commands, before, after } = trees
  if (commands === undefined) return () => false
  const lines = new Map<string, string[]>()
  const onBase = new Set<string>()
  const packages = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => /(?:^|\/)package\.json$/.test(path) && !path.includes('node_modules/'))
    .slice(0, packagesMax)
  const texts = await Promise.all(
    packages.flatMap((path) => [trees.textOfBase(path), trees.textOfTree(path)]),
  )
  for (const [at, text] of texts.entries()) {
    const scripts = parseJsonObject(text ?? '{}', false)?.['scripts']
    if (!isObject(scripts)) continue
    for (const [name, line] of Object.entries(scripts)) {
      if (at % 2 === 0) onBase.add(name)
      lines.set(name, [...(lines.get(name) ?? []), typeof line === 'string' ? line : ''])
    }
  }
  const reachable = reachableScripts(commands, lines)
  if (reachable === undefined) return () => false
  const started = await testsStartScripts(trees)
  return (name) => !reachable.has(name) && !(started && onBase.has(name))
}

async function testsStartScripts(trees: Trees): Promise<boolean> {
  if (trees.testsOfBase.size > testsMax) return true
  return (await readTests(trees)).some(startsScripts)
}

/** Whether tests of the base name a manifest, or what cargo takes from one. */
async function namesInTests(trees: Trees): Promise<(path: string) => boolean> {
  const texts = await readTests(trees)
  return (path) => {
    const name = nameOf(path)
    return texts.some(
      (text) => text.includes(name) || (name === 'Cargo.toml' && text.includes('CARGO_PKG_')),
    )
  }
}

async function readTests(trees: Trees): Promise<readonly string[]> {
  const tests = [...trees.testsOfBase].slice(0, testsMax)
  const texts = await Promise.all(tests.map((path) => trees.textOfBase(path)))
  return texts.flatMap((text) => text ?? [])
}
