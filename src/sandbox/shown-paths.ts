/**
 * The paths that a sandbox shows besides its workspace, and the paths it hides, with symlinks resolved.
 *
 * 1. Processes in the sandbox can write the workspace, so a symlink in it neither shows nor hides anything
 *    outside of it.
 * 2. Paths that would show the whole machine, its processes or its sockets are rejected.
 */

import { lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { isExecutableFile } from './program-mounts.ts'
import { resolvePath } from './resolve-path.ts'
import { isWithin, withoutNested } from './toolchains.ts'

export interface ShownPaths {
  /** Mounted before the workspace, which may be inside one of them. */
  readonly outside: readonly string[]
  /** Inside the workspace, so mounted after it. */
  readonly inside: readonly string[]
  readonly links: readonly { readonly path: string; readonly target: string }[]
  readonly hidden: readonly { readonly path: string; readonly isFolder: boolean }[]
  /** The parent folders of protected paths in the workspace, which must not be moved away either. */
  readonly pinned: readonly string[]
  /** The folders of programs that were listed as files. */
  readonly programFolders: readonly string[]
}

export interface ShownPathsOptions {
  /** With symlinks resolved. */
  readonly workspace: string
  /** The workspace path as the caller passed it; it works inside as well. */
  readonly alias: string
  readonly readOnly: readonly string[]
  readonly hide: readonly string[]
  /** Paths that are shown anyway, in which `hide` applies too. */
  readonly others: readonly string[]
}

export function findShownPaths({
  workspace,
  alias,
  readOnly,
  hide,
  others,
}: ShownPathsOptions): ShownPaths {
  const listed = readOnly.map((path) => checkPath(path, workspace))
  const reals = listed.map(({ real }) => real)
  const inside = reals.filter((real) => isWithin(real, workspace))
  const outside = withoutNested(reals.filter((real) => !isWithin(real, workspace)))
  const visible = [workspace, ...outside, ...others]
  const hidden = withoutCovered(hide.flatMap((path) => findHidden(path, workspace, visible)))
  const protectedPaths = [...inside, ...hidden.map(({ path }) => path)]
  return {
    outside,
    inside: [...new Set(inside)],
    links: listLinks(listed, [alias, ...visible]),
    hidden,
    pinned: listParents(protectedPaths, workspace),
    programFolders: [
      ...new Set(
        listed.filter(({ path }) => isExecutableFile(path)).map(({ path }) => dirname(path)),
      ),
    ],
  }
}

interface ListedPath {
  readonly path: string
  readonly real: string
}

/** Showing these would leave nothing protected. Not `/usr`, which is shown anyway. */
const tooMuch = ['/proc', '/sys', '/dev', '/run', '/etc', '/tmp', '/var']

function checkPath(path: string, workspace: string): ListedPath {
  const resolved = isAbsolute(path) ? resolvePath(path, workspace) : undefined
  if (resolved === undefined) {
    const advice =
      'Use the absolute path of an existing file or folder, or remove it from the list.'
    throw refused(
      `Cannot show ${path} in the sandbox: it does not exist or is not absolute. ${advice}`,
    )
  }
  const { real, followedLinkInFolder, stat } = resolved
  if (!isWithin(real, workspace) && followedLinkInFolder) {
    throw refused(`${path} is a symlink that leads out of the workspace. List its target instead.`)
  }
  if (!stat.isDirectory() && !stat.isFile()) {
    throw refused(`Cannot show ${path} in the sandbox: it is neither a file nor a folder.`)
  }
  const isTooMuch =
    [...tooMuch, homedir()].some((folder) => isWithin(folder, real)) ||
    ['/proc', '/sys', '/dev', '/run'].some((folder) => isWithin(real, folder))
  if (isTooMuch && real !== workspace) {
    throw refused(`${path} contains more than a sandbox may show. List a folder inside it instead.`)
  }
  return { path, real }
}

const refused = (message: string): LoopError => new LoopError('bad-request', message)

/** A path that is a symlink stays one, so that programs find the files beside its target. */
function listLinks(listed: readonly ListedPath[], visible: readonly string[]): ShownPaths['links'] {
  const links = listed.filter(
    ({ path, real }) => path !== real && !visible.some((folder) => isWithin(path, folder)),
  )
  return links.map(({ path, real }) => ({ path, target: real }))
}

/** Only existing paths can be covered; for a symlink, its target is covered if it is visible. */
function findHidden(
  path: string,
  workspace: string,
  visible: readonly string[],
): ShownPaths['hidden'] {
  const real = tryRealpath(isAbsolute(path) ? path : join(workspace, path))
  if (real === undefined || !visible.some((folder) => isWithin(real, folder))) return []
  if (isWithin(workspace, real)) {
    throw refused(
      `${path} cannot be hidden because the workspace is inside it. Hide a smaller folder.`,
    )
  }
  return [{ path: real, isFolder: lstatSync(real).isDirectory() }]
}

/** A covered path cannot be covered again, nor can anything inside it. */
const withoutCovered = (hidden: ShownPaths['hidden']): ShownPaths['hidden'] =>
  hidden.filter(({ path }, index) =>
    hidden.every((other, at) => (other.path === path ? index <= at : !isWithin(path, other.path))),
  )

/** The parent folders of the paths, from the top down, without the workspace itself. */
function listParents(paths: readonly string[], workspace: string): readonly string[] {
  const folders = paths
    .filter((path) => isWithin(path, workspace) && path !== workspace)
    .flatMap((path) => {
      const names = relative(workspace, dirname(path)).split('/')
      return names.map((_name, index) => join(workspace, ...names.slice(0, index + 1)))
    })
  return [...new Set(folders)].filter((folder) => folder !== workspace).toSorted()
}

function tryRealpath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
