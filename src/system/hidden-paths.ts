/**
 * What is hidden from all that a run starts, and from its agent alone.
 *
 * What a path led to when the run was opened stays hidden: an agent that removes a link of the workspace
 * does not uncover what it led to, nor the same file in the checkout that a worktree stands for.
 */

import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { pathInside } from './places.ts'

export interface HiddenPaths {
  /** Whole paths, with and without links. */
  readonly paths: readonly string[]
  /** Nothing of it would be left to see. */
  covers(path: string): boolean
}

export function hiddenPaths(
  hide: readonly string[],
  workspace: string,
  checkout: string | undefined,
): HiddenPaths {
  const roots = checkout === undefined ? [workspace] : [workspace, checkout]
  const named = roots.flatMap((root) => hide.map((path) => join(root, path)))
  const firsts = named.flatMap((path) => realOf(path) ?? [])
  return {
    paths: [...new Set([...named, ...firsts])],
    covers(path) {
      const real = realOf(path)
      return real !== undefined && firsts.some((hidden) => pathInside(hidden, real) !== undefined)
    },
  }
}

/**
 * The repository decides where its links lead. Of a link something else would be hidden, such as its
 * sources; or all of it, which cannot be.
 */
export function requireNoLinks(workspace: string, paths: readonly string[]): void {
  for (const path of paths) {
    const target = targetOf(join(workspace, path))
    if (target === undefined) continue
    throw new LoopError(
      'bad-request',
      `${path} in ${workspace} is a link, to ${JSON.stringify(target.slice(0, 200))}. The agent would take ` +
        'orders from it, so it must be hidden, and a link cannot be. Remove the link from the ' +
        'repository, or use another agent.',
    )
  }
}

function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
