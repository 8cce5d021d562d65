/**
 * The loop file for a spec, by rule: one of type `build` with the name of the spec beside it; else the only one beside it;
 * else the only one in `loops/` of the repository. Without one, the built-in loop is used.
 */

import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, extname, join, relative } from 'node:path'
import { LoopError, specSlug } from '../../loop/index.ts'
import { folderWithGit } from '../../runs/worktree-options.ts'
import { pathInside, readSmallFileSync } from '../../system/index.ts'

export interface FoundLoop {
  /** Absolute. Absent: the built-in loop. */
  readonly file?: string
  /** Why this one, for people. */
  readonly rule: string
}

const loopFileBytesMax = 1024 * 1024
const entriesMax = 1000

/** `spec`: an absolute path. Rejects with `bad-request` if several files fit. */
export function findBuildLoop(spec: string): FoundLoop {
  const folder = dirname(spec)
  const root = findRoot(spec)
  const name = specSlug(spec)
  const shown = (path: string): string => relative(root, path) || basename(path)
  const own = ['.yaml', '.yml', '.loop.yaml', '.loop.yml']
    .map((end) => join(folder, `${basename(spec, extname(spec))}${end}`))
    .find(isBuildLoop)
  if (own !== undefined) return { file: own, rule: `${shown(own)}, beside the spec, with its name` }
  const beside = buildLoopsIn(folder)
  const inLoops = folder === join(root, 'loops') ? [] : buildLoopsIn(join(root, 'loops'))
  for (const [where, files] of [
    ['beside the spec', beside],
    ['in loops/', inLoops],
  ] as const) {
    const [only] = files
    if (only === undefined) continue
    if (files.length === 1)
      return { file: only, rule: `${shown(only)}, the only build loop ${where}` }
    const listed = files.map(shown).join(', ')
    throw new LoopError(
      'bad-request',
      `There are several build loops ${where}: ${listed}. Choose one: loopctl run ${listed.split(', ')[0]} --input spec=${shown(spec)}`,
    )
  }
  return {
    rule: `the built-in build loop, because no loop file of type build is beside ${name}'s spec or in loops/`,
  }
}

/** The root of its repository, else the current folder if the spec is inside, else its folder. */
export function findRoot(spec: string, here: string = process.cwd()): string {
  const folder = dirname(spec)
  return folderWithGit(folder) ?? (pathInside(here, spec) === undefined ? folder : here)
}

/** A spec of another repository moves the run there, which must not happen without a word. */
export function describeOtherFolder(
  spec: string,
  here: string = process.cwd(),
): string | undefined {
  const own = folderWithGit(here) ?? here
  if (pathInside(own, spec) !== undefined) return undefined
  const root = findRoot(spec, here)
  return `The spec is outside of ${own}, so the run works in ${root}. To build it in another folder, copy it there.`
}

const buildLoopsIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => /^(?!loopwright\.|\.).+\.ya?ml$/.test(name))
      .slice(0, entriesMax)
      .map((name) => join(folder, name))
      .filter(isBuildLoop)
      .toSorted()
  } catch {
    return []
  }
}

/** By its key `loop`; the rest of the file is checked when it is loaded. */
function isBuildLoop(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    return /^loop:[ \t]*(["']?)build\1[ \t]*(?:#.*)?$/m.test(
      readSmallFileSync(file, loopFileBytesMax),
    )
  } catch {
    return false
  }
}
