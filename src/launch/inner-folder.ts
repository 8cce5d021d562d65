/** A run that works in a folder of its workspace, such as a package of a monorepo. */

import { join } from 'node:path'
import type { Commands, RunBaseFiles, StartProcess, TreeReader } from '../engine/index.ts'
import type { OpenedSandbox } from './opened-sandbox.ts'

/** Commands start in that folder instead of the root of the workspace. */
export function startingIn(
  sandbox: OpenedSandbox,
  workspace: string,
  inner: string | undefined,
): OpenedSandbox {
  if (inner === undefined) return sandbox
  const there = <C extends { readonly cwd?: string }>(command: C): C => {
    const isAtTop = command.cwd === undefined || command.cwd === workspace
    return isAtTop ? { ...command, cwd: join(workspace, inner) } : command
  }
  const inFolder = ({ run }: Commands): Commands => ({
    run: (command, signal) => run(there(command), signal),
  })
  const started =
    (start: StartProcess): StartProcess =>
    (command) =>
      start(there(command))
  return {
    ...sandbox,
    commands: inFolder(sandbox.commands),
    commandsFor: (command, shows) => inFolder(sandbox.commandsFor(command, shows)),
    bareCommands: inFolder(sandbox.bareCommands),
    bareStart: started(sandbox.bareStart),
    agentCommands(command, socketPath, view = {}) {
      // An agent reads instructions in each folder from the root down.
      const hides = foldersTo(inner).flatMap((folder) =>
        (view.hides ?? []).map((path) => join(folder, path)),
      )
      const opened = sandbox.agentCommands(command, socketPath, { ...view, hides })
      return { ...opened, commands: inFolder(opened.commands), start: started(opened.start) }
    },
    startServer: started(sandbox.startServer),
  }
}

function foldersTo(inner: string): readonly string[] {
  const names = inner.split('/')
  return ['', ...names.map((_name, index) => names.slice(0, index + 1).join('/'))]
}

/** Only the files of the folder, from which its checks are derived. */
export function filesIn({ reader, tree }: RunBaseFiles, inner: string | undefined): RunBaseFiles {
  if (inner === undefined) return { reader, tree }
  const prefix = `${inner}/`
  const inside: TreeReader = {
    async list(of) {
      const all = await reader.list(of)
      return new Map(
        [...all].flatMap(([path, file]) =>
          path.startsWith(prefix) ? [[path.slice(prefix.length), file] as const] : [],
        ),
      )
    },
    read: (of, path, bytesMax) => reader.read(of, `${prefix}${path}`, bytesMax),
    patch: (before, after, paths, bytesMax) =>
      reader.patch(
        before,
        after,
        paths.map((path) => `${prefix}${path}`),
        bytesMax,
      ),
  }
  return { reader: inside, tree }
}
