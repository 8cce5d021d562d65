/** Runs install scripts in the sandbox, with the layer as workspace and access to the registries only. */

import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defined } from '../../loop/index.ts'
import { findOnPath } from '../../workspace/index.ts'
import { listProgramFolders, type PackageScripts } from './install-scripts.ts'
import { type InstallContext, programFolders, runInSandbox } from './run-manager.ts'

const advice =
  'Install scripts can reach only your registries. If the script downloads something else or needs a compiler ' +
  'that is not installed, install the package in your checkout'

export async function runScripts(
  context: InstallContext,
  packages: readonly PackageScripts[],
): Promise<void> {
  const nodeGyp = await findNodeGyp()
  const headers = findNodeHeaders()
  for (const one of packages) {
    const folders = [
      ...listProgramFolders(one, context.path),
      ...(nodeGyp === undefined ? [] : [nodeGyp.folder]),
      programFolders(process.execPath),
    ]
    for (const { event, command } of one.scripts) {
      await runInSandbox(context, '/bin/sh', ['-c', command], one.folder, {
        what: `The ${event} script of ${one.name}@${one.version} (${command.slice(0, 100)})`,
        advice,
        readOnly: [...(nodeGyp === undefined ? [] : [nodeGyp.npm]), ...headers],
        env: {
          PATH: folders.join(':'),
          INIT_CWD: context.path,
          npm_lifecycle_event: event,
          npm_package_name: one.name,
          npm_package_version: one.version,
          npm_node_execpath: process.execPath,
          // npm's wrapper starts this script; without it, the wrapper does nothing and still succeeds.
          ...(nodeGyp === undefined ? {} : { npm_config_node_gyp: nodeGyp.script }),
          // Otherwise node-gyp would download the headers from a host that is not a registry.
          ...defined({ npm_config_nodedir: headers[0] }),
        },
      })
    }
  }
}

interface NodeGyp {
  /** The folder of npm. */
  readonly npm: string
  /** The folder with the program `node-gyp`. */
  readonly folder: string
  readonly script: string
}

/** Finds the node-gyp that is part of npm. */
async function findNodeGyp(): Promise<NodeGyp | undefined> {
  const [program] = await findOnPath('npm', { keepOrder: true })
  if (program === undefined) return undefined
  const npm = dirname(dirname(await realpath(program)))
  const modules = join(npm, 'node_modules')
  const script = join(modules, 'node-gyp', 'bin', 'node-gyp.js')
  const folder = [
    join(modules, '@npmcli', 'run-script', 'lib', 'node-gyp-bin'),
    join(npm, 'bin', 'node-gyp-bin'),
  ].find((one) => existsSync(one))
  return folder === undefined || !existsSync(script) ? undefined : { npm, folder, script }
}

/** Finds the headers of this Node, which native code is built against. */
function findNodeHeaders(): readonly string[] {
  const prefix = dirname(dirname(process.execPath))
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? [prefix] : []
}
