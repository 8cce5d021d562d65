/** What a command that the loop file names sees: its program, and what else it needs. */

import { delimiter, isAbsolute, resolve } from 'node:path'
import type { Commands } from '../../engine/index.ts'
import { commandMounts, type Sandbox, type SandboxPlace } from '../../sandbox/index.ts'
import { pathInside } from '../../system/index.ts'
import type { OpenPlace } from '../launch-place.ts'

/** What only this command sees; programs come before all others. */
export type CommandView = Pick<SandboxPlace, 'files' | 'programs'>

/** How the commands of a check are run. */
export interface CheckView {
  readonly shows?: CommandView
  /** A program and its arguments that start each command. */
  readonly prefix?: readonly string[]
}

export const commandsFor = (
  sandbox: Sandbox,
  inside: () => SandboxPlace,
  named: readonly string[],
  path: string,
  shows?: CommandView,
): Commands => ({
  run(command, signal) {
    const seen = withCommand(sandbox, showing(inside(), shows), named, path)
    return sandbox.commands(seen).run(command, signal)
  },
})

const showing = (
  place: SandboxPlace,
  { files, programs = [] }: CommandView = {},
): SandboxPlace => ({
  ...place,
  ...(files === undefined ? {} : { files: [...(place.files ?? []), ...files] }),
  programs: [...programs, ...(place.programs ?? [])],
})

/** Where there are no walls, nothing has to be let in. */
export function withCommand(
  sandbox: Sandbox,
  place: SandboxPlace,
  command: readonly string[],
  path: string,
): SandboxPlace {
  if (sandbox.report.tier === 'none') return place
  const seen = command.map((part) => asSeenFrom(place.shownAs, part))
  const mounts = commandMounts(seen, {
    cwd: place.workspace,
    path,
  })
  return { ...place, readOnly: [...(place.readOnly ?? []), ...mounts] }
}

/** A path that leads out of the workspace begins where the workspace is inside. */
function asSeenFrom(shownAs: string | undefined, part: string): string {
  if (shownAs === undefined || isAbsolute(part) || !part.includes('/')) return part
  const whole = resolve(shownAs, part)
  return pathInside(shownAs, whole) === undefined ? whole : part
}

/** The PATH, without what is in these folders, and without programs of any project if some are named. */
export function trustedPath({
  untrusted,
  path = process.env['PATH'] ?? '',
}: Pick<OpenPlace, 'untrusted' | 'path'>): string {
  if (untrusted === undefined) return path
  const isTrusted = (entry: string): boolean =>
    !/\/node_modules\/\.bin\/?$/.test(entry) &&
    untrusted.every((folder) => pathInside(folder, entry) === undefined)
  return path.split(delimiter).filter(isTrusted).join(delimiter)
}
