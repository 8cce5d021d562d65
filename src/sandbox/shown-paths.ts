/**
 * What a place shows besides its workspace, and what it hides in them, as it really is on the disk.
 *
 * 1. The workspace is written by those who are to be held: a link in it shows and hides nothing that is
 *    outside of it.
 * 2. What would show the whole machine, its processes or its sockets is refused.
 */

import { lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { isProgram } from './program-mounts.ts'
import { isWithin, withoutNested } from './toolchains.ts'
import { wayTo } from './way-to.ts'

export interface ShownPaths {
  /** Mounted before the workspace, which may lie in one of them. */
  readonly outside: readonly string[]
  /** In the workspace: mounted after it. */
  readonly inside: readonly string[]
  readonly links: readonly { readonly path: string; readonly target: string }[]
  readonly hidden: readonly { readonly path: string; readonly isFolder: boolean }[]
  /** Folders of the workspace on the way to what is protected: they must not be moved away either. */
  readonly pinned: readonly string[]
  /** Where programs are that were given as files. */
  readonly programFolders: readonly string[]
}

export interface ToShow {
  /** Without links. */
  readonly workspace: string
  /** As it was given; there inside as well. */
  readonly alias: string
  readonly readOnly: readonly string[]
  readonly hide: readonly string[]
  /** What is shown anyway, to be hidden in too. */
  readonly others: readonly string[]
}

export function findShownPaths({ workspace, alias, readOnly, hide, others }: ToShow): ShownPaths {
  const given = readOnly.map((path) => checked(path, workspace))
  const reals = given.map(({ real }) => real)
  const inside = reals.filter((real) => isWithin(real, workspace))
  const outside = withoutNested(reals.filter((real) => !isWithin(real, workspace)))
  const visible = [workspace, ...outside, ...others]
  const hidden = onceEach(hide.flatMap((path) => hiddenAt(path, workspace, visible)))
  const protectedPaths = [...inside, ...hidden.map(({ path }) => path)]
  return {
    outside,
    inside: [...new Set(inside)],
    links: linksTo(given, [alias, ...visible]),
    hidden,
    pinned: pinnedFor(protectedPaths, workspace),
    programFolders: [
      ...new Set(given.filter(({ path }) => isProgram(path)).map(({ path }) => dirname(path))),
    ],
  }
}

interface Given {
  readonly path: string
  readonly real: string
}

/** Where nothing could be protected any more. Not `/usr`, which is shown anyway. */
const tooMuch = ['/proc', '/sys', '/dev', '/run', '/etc', '/tmp', '/var']

function checked(path: string, workspace: string): Given {
  const way = isAbsolute(path) ? wayTo(path, workspace) : undefined
  if (way === undefined) {
    const next = 'Give the full path of something that exists, or take it off the list.'
    throw refused(`There is no ${path} to be read in the sandbox. ${next}`)
  }
  const { real, isLed, stat } = way
  if (!isWithin(real, workspace) && isLed) {
    throw refused(`${path} leads out of the workspace. Name what it leads to.`)
  }
  if (!stat.isDirectory() && !stat.isFile()) {
    throw refused(`${path} cannot be read in the sandbox: it is neither a file nor a folder.`)
  }
  const isTooMuch =
    [...tooMuch, homedir()].some((folder) => isWithin(folder, real)) ||
    ['/proc', '/sys', '/dev', '/run'].some((folder) => isWithin(real, folder))
  if (isTooMuch && real !== workspace) {
    throw refused(`${path} holds more than may be shown in a sandbox. Name a folder in it.`)
  }
  return { path, real }
}

const refused = (message: string): LoopError => new LoopError('bad-request', message)

/** By another name than its own: as a link, so that what looks beside the real one finds it. */
function linksTo(given: readonly Given[], visible: readonly string[]): ShownPaths['links'] {
  const links = given.filter(
    ({ path, real }) => path !== real && !visible.some((folder) => isWithin(path, folder)),
  )
  return links.map(({ path, real }) => ({ path, target: real }))
}

/** Only what is there can be covered. Of a link, what it leads to, if that can be seen. */
function hiddenAt(
  path: string,
  workspace: string,
  visible: readonly string[],
): ShownPaths['hidden'] {
  const real = realOf(isAbsolute(path) ? path : join(workspace, path))
  if (real === undefined || !visible.some((folder) => isWithin(real, folder))) return []
  if (isWithin(workspace, real)) {
    throw refused(`${path} cannot be hidden: the workspace is in it. Hide less.`)
  }
  return [{ path: real, isFolder: lstatSync(real).isDirectory() }]
}

/** What is covered cannot be covered again, nor what is in it. */
const onceEach = (hidden: ShownPaths['hidden']): ShownPaths['hidden'] =>
  hidden.filter(({ path }, index) =>
    hidden.every((other, at) => (other.path === path ? index <= at : !isWithin(path, other.path))),
  )

/** From the top down, without the workspace itself. */
function pinnedFor(paths: readonly string[], workspace: string): readonly string[] {
  const folders = paths
    .filter((path) => isWithin(path, workspace) && path !== workspace)
    .flatMap((path) => {
      const names = relative(workspace, dirname(path)).split('/')
      return names.map((_name, index) => join(workspace, ...names.slice(0, index + 1)))
    })
  return [...new Set(folders)].filter((folder) => folder !== workspace).toSorted()
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
