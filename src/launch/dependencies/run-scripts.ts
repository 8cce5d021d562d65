/** Runs install scripts of packages in the sandbox, with the layer as workspace and the network of an install. */

import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defined } from '../../loop/index.ts'
import { findOnPath } from '../../workspace/index.ts'
import { type PackageScripts, scriptPath } from './install-scripts.ts'
import { type Installing, programFolders, runInside } from './run-manager.ts'

const advice =
  'Install scripts can reach only your registries. If the script downloads something else or needs a compiler ' +
  'that is not installed, install the package in your checkout'

export async function runScripts(
  installing: Installing,
  packages: readonly PackageScripts[],
): Promise<void> {
  const gyp = await findGyp()
  const headers = nodeHeaders()
  for (const one of packages) {
    const folders = [
      ...scriptPath(one, installing.path),
      ...(gyp === undefined ? [] : [gyp.folder]),
      programFolders(process.execPath),
    ]
    for (const { event, command } of one.scripts) {
      await runInside(installing, '/bin/sh', ['-c', command], one.folder, {
        what: `The ${event} script of ${one.name}@${one.version} (${command.slice(0, 100)})`,
        advice,
        readOnly: [...(gyp === undefined ? [] : [gyp.npm]), ...headers],
        env: {
          PATH: folders.join(':'),
          INIT_CWD: installing.path,
          npm_lifecycle_event: event,
          npm_package_name: one.name,
          npm_package_version: one.version,
          npm_node_execpath: process.execPath,
          // npm's program starts this one, and without it succeeds without doing anything.
          ...(gyp === undefined ? {} : { npm_config_node_gyp: gyp.script }),
          // Without them node-gyp would download them from an address that is no registry.
          ...defined({ npm_config_nodedir: headers[0] }),
        },
      })
    }
  }
}

interface NodeGyp {
  /** Of npm. */
  readonly npm: string
  /** With a program of this name. */
  readonly folder: string
  readonly script: string
}

/** The program node-gyp that comes with npm. */
async function findGyp(): Promise<NodeGyp | undefined> {
  const [program] = await findOnPath('npm', { asOrdered: true })
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

/** Where this Node has its headers, to build native code against. */
function nodeHeaders(): readonly string[] {
  const prefix = dirname(dirname(process.execPath))
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? [prefix] : []
}
