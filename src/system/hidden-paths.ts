/**
 * The files that are hidden from all processes of a run, or from its agent only.
 *
 * The target of a path is resolved once, when the run is opened, and stays hidden: an agent cannot uncover
 * it by removing a symlink in the workspace, nor through the checkout that its worktree belongs to.
 */

import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { pathInside } from './workspace-folder.ts'

export interface HiddenPaths {
  /** Absolute paths, both as written and with symlinks resolved. */
  readonly paths: readonly string[]
  /** True if the path is hidden entirely. */
  covers(path: string): boolean
}

export function resolveHiddenPaths(
  hide: readonly string[],
  workspace: string,
  checkout: string | undefined,
): HiddenPaths {
  const roots = checkout === undefined ? [workspace] : [workspace, checkout]
  const named = roots.flatMap((root) => hide.map((path) => join(root, path)))
  const resolved = named.flatMap((path) => tryRealpath(path) ?? [])
  return {
    paths: [...new Set([...named, ...resolved])],
    covers(path) {
      const real = tryRealpath(path)
      return real !== undefined && resolved.some((hidden) => pathInside(hidden, real) !== undefined)
    },
  }
}

/**
 * The repository controls where its symlinks point. Hiding one would hide its target instead: the project's
 * sources, for example, or the whole workspace.
 */
export function requireNoLinks(workspace: string, paths: readonly string[]): void {
  for (const path of paths) {
    const target = readLinkTarget(join(workspace, path))
    if (target === undefined) continue
    throw new LoopError(
      'bad-request',
      `${path} in ${workspace} is a symlink to ${JSON.stringify(target.slice(0, 200))}. The agent would follow ` +
        'instructions in it, so it must be hidden, and a symlink cannot be hidden. Remove the symlink from ' +
        'the repository, or use another agent.',
    )
  }
}

function readLinkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}

function tryRealpath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
