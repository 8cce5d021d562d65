/** What a command of the loop file can see in the sandbox: its program and what it needs. */

import { delimiter, isAbsolute, resolve } from 'node:path'
import type { Commands } from '../../engine/index.ts'
import { findCommandMounts, type Sandbox, type SandboxSpec } from '../../sandbox/index.ts'
import { pathInside } from '../../system/index.ts'
import type { OpenContext } from '../open-context.ts'

/** Files and programs for this command only; its programs come first on the PATH. */
export type CommandView = Pick<SandboxSpec, 'files' | 'programs'>

/** How the commands of a check run. */
export interface CheckView {
  readonly shows?: CommandView
  /** A program with arguments that starts each command. */
  readonly prefix?: readonly string[]
}

export const commandsFor = (
  sandbox: Sandbox,
  inside: () => SandboxSpec,
  named: readonly string[],
  path: string,
  shows?: CommandView,
): Commands => ({
  run(command, signal) {
    const seen = withCommand(sandbox, withView(inside(), shows), named, path)
    return sandbox.commands(seen).run(command, signal)
  },
})

const withView = (place: SandboxSpec, { files, programs = [] }: CommandView = {}): SandboxSpec => ({
  ...place,
  ...(files === undefined ? {} : { files: [...(place.files ?? []), ...files] }),
  programs: [...programs, ...(place.programs ?? [])],
})

/** Without a sandbox nothing must be mounted. */
export function withCommand(
  sandbox: Sandbox,
  place: SandboxSpec,
  command: readonly string[],
  path: string,
): SandboxSpec {
  if (sandbox.report.tier === 'none') return place
  const seen = command.map((part) => toSandboxPath(place.sandboxPath, part))
  const mounts = findCommandMounts(seen, {
    cwd: place.workspace,
    path,
  })
  return { ...place, readOnly: [...(place.readOnly ?? []), ...mounts] }
}

/** A relative path out of the workspace starts at the path of the workspace in the sandbox. */
function toSandboxPath(sandboxPath: string | undefined, part: string): string {
  if (sandboxPath === undefined || isAbsolute(part) || !part.includes('/')) return part
  const absolute = resolve(sandboxPath, part)
  return pathInside(sandboxPath, absolute) === undefined ? absolute : part
}

/** The PATH without these folders and, if there are any, without `node_modules/.bin` of all projects. */
export function trustedPath({
  untrusted,
  path = process.env['PATH'] ?? '',
}: Pick<OpenContext, 'untrusted' | 'path'>): string {
  if (untrusted === undefined) return path
  const isTrusted = (entry: string): boolean =>
    !/\/node_modules\/\.bin\/?$/.test(entry) &&
    untrusted.every((folder) => pathInside(folder, entry) === undefined)
  return path.split(delimiter).filter(isTrusted).join(delimiter)
}
