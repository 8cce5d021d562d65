/** Opens what runs the commands of a loop. Nothing is copied or tried before the first command. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandRunner } from '../../../engine/index.ts'
import type { SandboxSettings } from '../../../protocol/index.ts'
import { logDirDefault } from '../../../runs/artifact-mode.ts'
import type { HostPorts } from '../../../runs/host-ports.ts'
import { openSandbox } from '../../../sandbox/index.ts'
import { makePrivateFolder, type PrivateFolder, removeTree } from '../../../workspace/index.ts'
import type { OpenedSandbox } from '../../opened-sandbox.ts'
import type { SharedGateway } from '../../shared-gateway.ts'
import { createCommandRunner } from './create-command-runner.ts'
import { type Copies, openCopies } from './open-copies.ts'
import { createResultCache } from './result-cache.ts'

export interface CommandParts {
  readonly workspace: string
  readonly sandbox: Pick<OpenedSandbox, 'commandsIn' | 'modelCommandsIn' | 'summary'>
  readonly models: Pick<SharedGateway, 'gateway'>
  readonly settings: Pick<SandboxSettings, 'hide' | 'require'>
  /** Relative to the workspace: not part of the work. */
  readonly excluded: readonly string[]
  readonly logDir?: string | undefined
  readonly path: string | undefined
}

export interface OpenedCommands {
  readonly commands: CommandRunner
  close(): Promise<void>
}

export type OpenCommands = (base: Pick<HostPorts, 'blobs' | 'folder'>) => OpenedCommands

export const openCommands =
  ({ workspace, sandbox, models, settings, excluded, logDir, path }: CommandParts): OpenCommands =>
  ({ blobs, folder }) => {
    const cache = createResultCache(join(folder, 'cache', 'commands'))
    let opening: Promise<{ readonly own: PrivateFolder; readonly copies: Copies }> | undefined
    const names = new Set([...settings.hide, ...excluded, logDir ?? logDirDefault])

    const open = async (): Promise<{ readonly own: PrivateFolder; readonly copies: Copies }> => {
      const parent = join(folder, 'copies')
      await mkdir(parent, { recursive: true, mode: 0o700 })
      const isOverlaid =
        sandbox.summary.tier === 'strong' &&
        (await (await openSandbox()).observes(parent)).writes === 'overlay'
      const own = await makePrivateFolder(parent)
      const isLeftOut = (one: string): boolean => names.has(one)
      const copies = openCopies({ folder: own.path, workspace, blobs, isOverlaid, isLeftOut })
      return { own, copies }
    }

    return {
      commands: createCommandRunner({
        workspace,
        sandbox,
        models,
        blobs,
        cache,
        environment: [path ?? ''],
        copies: async () => {
          opening ??= open()
          return (await opening).copies
        },
      }),
      async close() {
        if (opening === undefined) return
        // What is left of it is removed with the next folder that is made.
        await opening.then(({ own }) => removeTree(own.path)).catch(() => undefined)
        await cache.trim().catch(() => undefined)
      },
    }
  }
